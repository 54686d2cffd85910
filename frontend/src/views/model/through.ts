import { button } from "../../draw/controls";
import { h, replace } from "../../draw/dom";
import type { Digits } from "../../draw/numbers";
import { visibleToken } from "../../draw/token";
import { extent } from "../../draw/values";
import { createWeightMap, type WeightMap, type WeightMapModel } from "../../draw/weightmap";
import { floats } from "../../state/asking";
import type { ModelLook } from "../../state/model";
import type { Model } from "../../wire/types";
import type { Answer, Question } from "./question";
import { keysOf, labelsOf, towerOf } from "./words";

export interface ThroughLayers {
  element: HTMLElement;
  update(question: Question<"rollout">, model: Model, look: ModelLook, digits: Digits): void;
  redraw(): void;
}

/** Attention from one token, followed through all layers. */
export function throughLayers(change: (part: Partial<ModelLook>) => void): ThroughLayers {
  const toggle = button({ label: "", onClick: () => change({ through: !open }) });
  const says = h("p", { class: "hint" });
  const caveat = h("p", { class: "caveat" });
  const place = h("div");
  const element = h(
    "div",
    { class: "model-through" },
    h("h3", null, "Through all layers"),
    says,
    toggle,
    caveat,
    place,
  );
  let open = false;
  let map: WeightMap | null = null;

  function draw({ data, buffers }: Answer<"rollout">, model: Model, look: ModelLook, digits: Digits): void {
    caveat.textContent = data.caveat;
    place.hidden = data.shares === null;
    if (data.shares === null) return;
    const tower = towerOf(model, look.tower);
    const tokens = tower ? keysOf(tower) : [];
    const values = floats(buffers, data.shares);
    const whole: WeightMapModel = {
      name: `attention from token ${data.position} through the layers`,
      rows: { name: "up to this layer", labels: data.layers.map((text) => ({ text })) },
      columns: { name: "position (has a share)", labels: labelsOf(tokens) },
      ...{ values, largest: extent(values) || 1, digits, value: "share", cell: 16 },
    };
    if (values.length !== data.layers.length * tokens.length) return;
    if (map) map.update(whole);
    else map = createWeightMap(whole, { choose: (_, column) => change({ query: column }) });
    if (place.firstChild !== map.element) replace(place, map.element);
  }

  return {
    element,
    redraw: () => map?.redraw(),
    update(question, model, look, digits) {
      const why = model.rollout_note;
      toggle.hidden = why !== "";
      if (why !== "") {
        says.textContent = why;
        for (const one of [caveat, place]) one.hidden = true;
        return;
      }
      open = look.through === true;
      const tokens = towerOf(model, look.tower)?.queries ?? [];
      const at = Math.min(look.query ?? tokens.length - 1, tokens.length - 1);
      says.textContent = `Where what token ${at} (${visibleToken(tokens[at]?.text ?? "")}) has gathered comes from, after each layer. Choose another query in the map above.`;
      toggle.textContent = open ? "leave it" : "follow it";
      toggle.setAttribute("aria-expanded", String(open));
      caveat.hidden = !open;
      place.hidden = !open;
      if (!open) return;
      if (question.trouble) caveat.textContent = question.trouble.text;
      else if (question.answer) draw(question.answer, model, look, digits);
      else caveat.textContent = "The shares are being worked out …";
    },
  };
}
