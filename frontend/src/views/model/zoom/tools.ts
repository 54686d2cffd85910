import { button, switches } from "../../../draw/controls";
import { h } from "../../../draw/dom";
import type { ModelLook } from "../../../state/model";
import type { Choice } from "./picture";

/** How the map is coloured where the address says nothing. */
export function choiceOf({ pool, shade, ends }: ModelLook): Choice {
  return { pool: pool ?? "largest", shade: shade ?? "log", ends: ends ?? "one" };
}

export interface ZoomTools {
  element: HTMLElement;
  set(choice: Choice): void;
}

/** The switches over the map, and the buttons that do what its keys do; `zoom(null)` is the whole. */
export function zoomTools(
  change: (part: Partial<ModelLook>) => void,
  zoom: (factor: number | null) => void,
): ZoomTools {
  const pool = switches<Choice["pool"]>({
    legend: "a point shows",
    options: [
      { value: "largest", label: "the largest", hint: "of the weights that it stands for" },
      { value: "mean", label: "the mean", hint: "of the weights that it stands for" },
    ],
    value: "largest",
    onChange: (value) => change({ pool: value }),
  });
  const shade = switches<Choice["shade"]>({
    legend: "colours",
    options: [
      { value: "log", label: "logarithmic" },
      { value: "linear", label: "linear" },
    ],
    value: "log",
    onChange: (value) => change({ shade: value }),
  });
  const ends = switches<Choice["ends"]>({
    legend: "colours end at",
    options: [
      { value: "one", label: "1" },
      { value: "largest", label: "the largest" },
    ],
    value: "one",
    onChange: (value) => change({ ends: value }),
  });
  const press = (label: string, name: string, factor: number | null) => {
    const made = button({ label, title: name, onClick: () => zoom(factor) });
    made.setAttribute("aria-label", name);
    return made;
  };
  const buttons = h(
    "span",
    { class: "zoom-buttons" },
    press("+", "nearer", 2),
    press("−", "further away", 0.5),
    button({ label: "whole", title: "the whole map", onClick: () => zoom(null) }),
  );
  return {
    element: h("div", { class: "toolbar" }, pool.element, shade.element, ends.element, buttons),
    set(choice: Choice) {
      pool.set(choice.pool);
      shade.set(choice.shade);
      ends.set(choice.ends);
      ends.element.hidden = choice.shade === "log";
    },
  };
}
