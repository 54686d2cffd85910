import { h, replace, uniqueId } from "../../draw/dom";
import { positionChip } from "../../draw/palette";

export interface RowPicker {
  element: HTMLElement;
  update(tokens: string[], chosen: number): void;
}

/** Chooses the query row that a comparison is about: one radio button per position, in the position's colour. */
export function rowPicker(choose: (query: number) => void, legend = "The row of"): RowPicker {
  const name = uniqueId("row");
  const choices = h("div", { class: "row-choices" });
  const element = h("fieldset", { class: "row-picker" }, h("legend", null, legend), choices);
  let drawn = "";
  let inputs: HTMLInputElement[] = [];

  function rebuild(tokens: string[]): void {
    inputs = tokens.map((_, i) =>
      h("input", {
        type: "radio",
        name,
        value: String(i),
        class: "visually-hidden",
        onchange: () => choose(i),
      }),
    );
    replace(
      choices,
      tokens.map((token, i) =>
        h("label", { class: "row-choice" }, inputs[i], positionChip(i, token, tokens.length)),
      ),
    );
  }

  return {
    element,
    update(tokens, chosen) {
      const signature = JSON.stringify(tokens);
      if (signature !== drawn) rebuild(tokens);
      drawn = signature;
      inputs.forEach((input, i) => {
        input.checked = i === chosen;
      });
    },
  };
}
