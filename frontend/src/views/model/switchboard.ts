import { button, notice, switches } from "../../draw/controls";
import { h, refill, replace, uniqueId } from "../../draw/dom";
import { parseNumber } from "../../draw/numbers";
import { addChange, type ModelLook } from "../../state/model";
import type { Change, Head } from "../../wire/types";
import { changeText } from "./words";

export interface Switchboard {
  element: HTMLElement;
  /** The chips of what is changed; they stand where the numbers are. */
  chips: HTMLElement;
  update(look: ModelLook, head: Head | null, key: number): void;
  /** Only the chips: what is changed can be taken back whatever came of it. */
  updateChips(look: ModelLook | undefined): void;
}

type Scope = "head" | "layer" | "all";

/** What can be taken away from the model, and one weight to be set by hand. */
export function switchboard(change: (changes: Change[]) => void): Switchboard {
  const chips = h("div", { class: "model-changes" });
  const scope = switches<Scope>({
    legend: "where",
    options: [
      { value: "head", label: "this head" },
      { value: "layer", label: "this layer" },
      { value: "all", label: "every layer" },
    ],
    value: "head",
    onChange: (value) => {
      where = value;
    },
  });
  const fields = {
    query: numberField("from query"),
    key: numberField("to key"),
    value: numberField("weight"),
  };
  const said = h("div");
  const add = (make: (place: Change) => Change) => {
    if (head) change(addChange(look?.changes, make(placeOf(head, where))));
  };
  const taking = h(
    "div",
    { class: "toolbar" },
    scope.element,
    button({ label: "no mask", onClick: () => add((place) => ({ ...layerOf(place), kind: "mask" })) }),
    button({ label: "no scale", onClick: () => add((place) => ({ ...layerOf(place), kind: "scale" })) }),
    button({ label: "switch off", onClick: () => add((place) => ({ ...place, kind: "off" })) }),
  );
  const setting = h(
    "form",
    {
      class: "toolbar set-weight",
      onsubmit: (event) => {
        event.preventDefault();
        setWeight();
      },
    },
    fields.query.element,
    fields.key.element,
    fields.value.element,
    h("button", { type: "submit", class: "button" }, "set this weight"),
  );
  const element = h(
    "div",
    { class: "model-switches" },
    taking,
    h("p", { class: "hint" }, "A mask and a scale belong to a whole layer, a head can only be switched off."),
    setting,
    h(
      "p",
      { class: "hint" },
      "A weight is set in this head alone; the other weights of its row stay as they are, so the row need not add up to 1.",
    ),
    said,
  );
  let where: Scope = "head";
  let look: ModelLook | null = null;
  let head: Head | null = null;
  let filled = "";
  let drawn: string | null = null;

  function setWeight(): void {
    replace(said);
    if (!head) return;
    const [query, key] = [whole(fields.query, head.queries.length), whole(fields.key, head.keys.length)];
    const value = parseNumber(fields.value.input.value);
    const right = value !== null && value >= 0 && value <= 1;
    fields.value.input.toggleAttribute("aria-invalid", !right);
    if (query === null) wrong("query", fields.query, head.queries.length);
    else if (key === null) wrong("key", fields.key, head.keys.length);
    else if (!right)
      tell(`weight: “${fields.value.input.value}” was given, and a number from 0 to 1 is expected.`);
    else add(() => ({ ...placeOf(head!, "head"), kind: "weight", query, key, value: value as number }));
  }

  function wrong(name: string, field: NumberField, count: number): void {
    tell(`${name}: “${field.input.value}” was given, and a position from 0 to ${count - 1} is expected.`);
  }

  function tell(text: string): void {
    replace(said, notice({ kind: "error", text }));
  }

  function drawChips(): void {
    const changes = look?.changes ?? [];
    const signature = JSON.stringify(changes);
    if (signature === drawn) return;
    drawn = signature;
    chips.hidden = changes.length === 0;
    const remove = (at: number) => change(changes.filter((_, i) => i !== at));
    // What was changed goes, and the focus returns to where it can be changed again.
    const content = changes.length > 0 && [
      notice({
        kind: "warning",
        text: "these are not the model's own numbers; something was changed:",
        action: { label: "change nothing", run: () => change([]) },
      }),
      h(
        "ul",
        { class: "change-chips", "aria-label": "changes of the model" },
        changes.map((one, at) => {
          const text = changeText(one);
          const chip = button({ label: text, title: "take this change away", onClick: () => remove(at) });
          chip.setAttribute("aria-label", `take away: ${text}`);
          chip.append(h("span", { "aria-hidden": "true" }, " ×"));
          return h("li", null, chip);
        }),
      ),
    ];
    refill(chips, taking.querySelector<HTMLElement>(":scope > button"), content);
  }

  return {
    element,
    chips,
    updateChips(next) {
      look = next ?? null;
      drawChips();
    },
    update(next, shown, lastKey) {
      look = next;
      head = shown;
      drawChips();
      if (!shown) return;
      const places = JSON.stringify([shown.label, next.query ?? null, lastKey]);
      if (places === filled) return;
      filled = places;
      fields.query.input.value = String(next.query ?? shown.queries.length - 1);
      fields.key.input.value = String(Math.min(lastKey, shown.keys.length - 1));
    },
  };
}

interface NumberField {
  element: HTMLElement;
  input: HTMLInputElement;
}

function numberField(label: string): NumberField {
  const id = uniqueId("number");
  const input = h("input", {
    id,
    type: "text",
    inputmode: "decimal",
    class: "text-input short",
    autocomplete: "off",
  });
  return { element: h("div", { class: "small-field" }, h("label", { for: id }, label), input), input };
}

function whole({ input }: NumberField, count: number): number | null {
  const value = parseNumber(input.value);
  const right = value !== null && Number.isInteger(value) && value >= 0 && value < count;
  input.toggleAttribute("aria-invalid", !right);
  return right ? value : null;
}

/** A mask and a scale are those of a whole layer. */
function layerOf({ head: _, ...place }: Change): Change {
  return place;
}

function placeOf({ tower, layer, head }: Head, scope: Scope): Change {
  const at: Change = { kind: "off", ...(tower ? { tower } : {}) };
  if (scope === "all") return at;
  return scope === "layer" ? { ...at, layer } : { ...at, layer, head };
}
