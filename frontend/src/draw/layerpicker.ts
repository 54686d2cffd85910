import { h, replace, uniqueId } from "./dom";

export interface LayerPicker {
  element: HTMLElement;
  update(layers: number, chosen: number): void;
}

/** "layer 0 | layer 1 ...": which layer the stops show. A model of one layer has nothing to pick. */
export function layerPicker(choose: (layer: number) => void): LayerPicker {
  const name = uniqueId("layer");
  const bar = h("div", { class: "segments" });
  const element = h(
    "fieldset",
    { class: "switches layer-picker", hidden: true },
    h("legend", { class: "visually-hidden" }, "layer"),
    bar,
  );
  let inputs: HTMLInputElement[] = [];

  function rebuild(layers: number): void {
    inputs = Array.from({ length: layers }, (_, layer) =>
      h("input", { type: "radio", name, value: String(layer), onchange: () => choose(layer) }),
    );
    replace(
      bar,
      inputs.map((input, layer) =>
        h(
          "label",
          { class: "segment" },
          input,
          h("span", null, h("span", { class: "layer-word" }, "layer "), layer),
        ),
      ),
    );
  }

  return {
    element,
    update(layers, chosen) {
      element.hidden = layers < 2;
      if (inputs.length !== layers) rebuild(layers);
      inputs.forEach((input, layer) => {
        input.checked = layer === chosen;
      });
    },
  };
}
