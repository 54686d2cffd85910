/** The bar that says where in the computation the reader is, and leads to any step. */
import { attribute, h } from "./dom";
import { watchEdges } from "./matrix-edges";

export interface PipelineStop {
  id: string;
  title: string;
  short: string;
}

export interface PipelineBar {
  element: HTMLElement;
  /** Marks the step that is being read. */
  current(id: string): void;
}

/** How much of what is in sight a push at the end moves on: the last step that was seen stays. */
const MOST_OF_IT = 0.7;

export function pipelineBar(stops: PipelineStop[], onJump: (id: string) => void): PipelineBar {
  const buttons = new Map(
    stops.map((stop) => [
      stop.id,
      h(
        "button",
        { type: "button", class: "step", title: stop.title, onclick: () => onJump(stop.id) },
        h("span", { class: "step-name", dataset: { name: stop.short } }, stop.short),
      ),
    ]),
  );
  const list = h(
    "ol",
    null,
    [...buttons.values()].map((button) => h("li", null, button)),
  );
  // For the mouse alone: whoever moves by keys or is read to comes to every step in its turn.
  const further = (sign: string, way: -1 | 1) =>
    h(
      "button",
      {
        type: "button",
        class: way < 0 ? "further back" : "further",
        tabindex: "-1",
        "aria-hidden": "true",
        onclick: () => list.scrollBy?.({ left: way * MOST_OF_IT * list.clientWidth }),
      },
      sign,
    );
  const element = h(
    "nav",
    { class: "pipeline", "aria-label": "steps of attention" },
    list,
    further("‹", -1),
    further("›", 1),
  );
  watchEdges(element, list, list);

  const current = (id: string) => {
    for (const [stop, button] of buttons) attribute(button, "aria-current", stop === id ? "step" : null);
    const now = buttons.get(id);
    // Scrolls the bar alone: scrollIntoView would also move the page under the reader.
    if (now) list.scrollTo?.({ left: now.offsetLeft - (list.clientWidth - now.offsetWidth) / 2 });
  };
  return { element, current };
}
