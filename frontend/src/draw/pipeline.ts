/** The bar that says where in the computation the reader is, and leads to any step. */
import { attribute, h } from "./dom";

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
  const element = h("nav", { class: "pipeline", "aria-label": "steps of attention" }, list);

  const current = (id: string) => {
    for (const [stop, button] of buttons) attribute(button, "aria-current", stop === id ? "step" : null);
    const now = buttons.get(id);
    // Scrolls the bar alone: scrollIntoView would also move the page under the reader.
    if (now) list.scrollTo?.({ left: now.offsetLeft - (list.clientWidth - now.offsetWidth) / 2 });
  };
  return { element, current };
}
