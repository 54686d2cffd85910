/** How far back weights lie: a bar for each range of distances, on an axis that doubles. */
import { h, replace } from "./dom";
import { type Digits, formatNumber } from "./numbers";
import { svg } from "./svg";

export interface DistancesModel {
  /** Where the ranges begin, and where the last ends; negative distances are keys after their query. */
  edges: readonly number[];
  shares: readonly number[];
  digits: Digits;
}

export interface Distances {
  element: HTMLElement;
  update(model: DistancesModel): void;
}

/** Where a distance stands on the axis: an octave has the same length everywhere, on both sides of 0. */
export function along(distance: number): number {
  return Math.sign(distance) * Math.log2(1 + Math.abs(distance));
}

/** "1", and of a range "8–9" */
export function rangeText(from: number, to: number): string {
  const signed = (at: number) => String(at).replace("-", "−");
  return to - from <= 1 ? signed(from) : `${signed(from)}–${signed(to - 1)}`;
}

/** The distances that the axis names: 0 and the powers of two, not more than `most` of them. */
export function namedDistances(first: number, last: number, most = 8): number[] {
  const found = [0];
  for (let at = 1; at < Math.max(last, -first); at *= 2) found.push(at);
  const every = Math.ceil(found.length / most);
  const kept = found.filter((_, i) => i % every === 0);
  return [...kept.slice(1).map((at) => -at), ...kept].filter((at) => at >= first && at < last);
}

export function createDistances(): Distances {
  const bars = svg("svg", {
    viewBox: "0 0 100 100",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const axis = h("div", { class: "distances-axis", "aria-hidden": "true" });
  const top = h("span", { class: "distances-top" });
  const readout = h("p", { class: "hint" });
  const body = h("tbody");
  const numbers = h(
    "details",
    { ontoggle: () => fill() },
    h("summary", null, "These shares in numbers"),
    h(
      "div",
      { class: "zoom-table", tabindex: "0", role: "region", "aria-label": "shares by distance" },
      h(
        "table",
        { class: "sortable" },
        h(
          "thead",
          null,
          h("tr", null, h("th", { scope: "col" }, "tokens back"), h("th", { scope: "col" }, "share")),
        ),
        body,
      ),
    ),
  );
  let shown: DistancesModel | null = null;

  function fill(): void {
    if (!numbers.open || !shown) return;
    const { edges, shares, digits } = shown;
    replace(
      body,
      shares.map((share, i) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, rangeText(edges[i] ?? 0, edges[i + 1] ?? 0)),
          h("td", null, formatNumber(share, digits)),
        ),
      ),
    );
  }

  return {
    element: h(
      "div",
      { class: "stack distances" },
      h("p", { class: "distances-name" }, "share of the weights, by tokens back →"),
      h("div", { class: "distances-plot" }, top, bars),
      axis,
      readout,
      numbers,
    ),
    update(model) {
      shown = model;
      const { edges, shares, digits } = model;
      const [first, last] = [edges[0] ?? 0, edges[edges.length - 1] ?? 1];
      const [from, to] = [along(first), along(last)];
      const x = (distance: number) => ((along(distance) - from) / Math.max(1e-9, to - from)) * 100;
      const largest = Math.max(1e-12, ...shares);
      bars.replaceChildren(
        ...shares.map((share, i) => {
          const [start, end] = [x(edges[i] ?? 0), x(edges[i + 1] ?? 0)];
          const height = (share / largest) * 100;
          const bar = svg("rect", { x: start, y: 100 - height, width: Math.max(0.1, end - start), height });
          const said = `${rangeText(edges[i] ?? 0, edges[i + 1] ?? 0)} back: ${formatNumber(share, digits)}`;
          const title = svg("title", {});
          title.textContent = said;
          bar.append(title);
          return bar;
        }),
      );
      top.textContent = formatNumber(largest, 2);
      replace(
        axis,
        namedDistances(first, last).map((at) =>
          h("span", { style: { "inset-inline-start": `${x(at + 0.5)}%` } }, rangeText(at, at + 1)),
        ),
      );
      const best = shares.indexOf(Math.max(...shares));
      const where = rangeText(edges[best] ?? 0, edges[best + 1] ?? 0);
      readout.textContent = `The largest share, ${formatNumber(shares[best] ?? 0, digits)}, lies ${where} ${where === "1" ? "token" : "tokens"} back.`;
      fill();
    },
  };
}
