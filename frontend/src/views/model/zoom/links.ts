import { button } from "../../../draw/controls";
import { h, refill, replace, uniqueId } from "../../../draw/dom";
import type { MapLabel, MapPlace } from "../../../draw/mapmodel";
import { type Digits, formatNumber } from "../../../draw/numbers";
import type { Links } from "../../../wire/types";
import type { Question } from "../question";
import { named } from "./naming";

/** Which links are wanted. */
export interface LinksWanted {
  count: number;
  apart: number;
  first: boolean;
}

export interface LinksTable {
  element: HTMLElement;
  readonly wanted: LinksWanted;
  update(
    question: Question<"links">,
    rows: readonly MapLabel[],
    columns: readonly MapLabel[],
    digits: Digits,
  ): void;
}

const MOST_APART = 1_000_000;

/** The strongest links of a head as a table; each row leads to its cell. */
export function linksTable(changed: () => void, go: (place: MapPlace) => void): LinksTable {
  const ids = { apart: uniqueId("apart"), count: uniqueId("count"), first: uniqueId("first") };
  // The first rows see little else than themselves, and many heads rest on the first token: neither tells much.
  const wanted: LinksWanted = { count: 20, apart: 2, first: false };
  const apart = h("input", {
    ...{
      id: ids.apart,
      type: "number",
      class: "text-input short",
      min: 0,
      max: MOST_APART,
      step: 1,
      value: wanted.apart,
    },
    onchange: () => take(),
  });
  const count = h(
    "select",
    { id: ids.count, class: "example-picker", onchange: () => take() },
    [20, 50, 100].map((n) => h("option", { value: n }, n)),
  );
  const without = h("input", {
    id: ids.first,
    type: "checkbox",
    checked: !wanted.first,
    onchange: () => take(),
  });
  const says = h("p", { class: "hint", role: "status" });
  const body = h("tbody");
  const heading = (text: string, title: string) => h("th", { scope: "col", title }, text);
  const table = h(
    "table",
    { class: "sortable zoom-links" },
    h("caption", null, "The strongest links"),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        heading("query → key", "the token that asks, and the one that is asked"),
        heading("apart", "how many tokens the key stands before its query"),
        heading("weight", "the exact weight"),
      ),
    ),
    body,
  );
  let shown: Links | null = null;
  let drawn = "";

  function take(): void {
    const far = Number(apart.value);
    const fits = apart.value.trim() !== "" && Number.isInteger(far) && far >= 0 && far <= MOST_APART;
    apart.toggleAttribute("aria-invalid", !fits);
    if (!fits) {
      says.textContent = `“${apart.value}” was given, and a whole number from 0 to ${MOST_APART} is expected.`;
      return;
    }
    Object.assign(wanted, { count: Number(count.value), apart: far, first: !without.checked });
    changed();
  }

  return {
    wanted,
    element: h(
      "div",
      { class: "stack zoom-links-place" },
      h(
        "div",
        { class: "toolbar zoom-options" },
        h("span", { class: "model-go" }, h("label", { for: ids.apart }, "at least"), apart, "tokens apart"),
        h(
          "span",
          { class: "model-go" },
          without,
          h("label", { for: ids.first }, "leave out the first token"),
        ),
        h("span", { class: "model-go" }, h("label", { for: ids.count }, "how many"), count),
      ),
      says,
      h(
        "div",
        { class: "zoom-table", tabindex: "0", role: "region", "aria-label": "strongest links" },
        table,
      ),
    ),
    update(question, rows, columns, digits) {
      const data = question.answer?.data ?? null;
      const waits = question.busy ? "The links are being looked for …" : "";
      const none = data && data.links.length === 0 ? "There is no such link." : "";
      const words = question.trouble?.text ?? (waits || data?.note || none);
      if (says.textContent !== words) says.textContent = words;
      if (!data || (data === shown && drawn === String(digits))) return;
      shown = data;
      drawn = String(digits);
      refill(
        body,
        null,
        data.links.map(({ query, key, weight }) => {
          const jump = button({ label: "", kind: "quiet", onClick: () => go({ row: query, column: key }) });
          replace(jump, named(rows[query], query), " → ", named(columns[key], key));
          return h(
            "tr",
            null,
            h("th", { scope: "row" }, jump),
            h("td", null, String(query - key).replace("-", "−")),
            h("td", null, formatNumber(weight, digits)),
          );
        }),
      );
    },
  };
}
