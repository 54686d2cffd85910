/** The frame of one exhibit: a heading, one sentence, and the components in their states. */
import { type Child, h } from "../../draw/dom";

export function section(id: string, title: string, says: string, ...exhibits: Child[]): HTMLElement {
  return h(
    "section",
    { class: "stop", id, "aria-label": title },
    h("h2", { class: "stop-title" }, title),
    h("p", { class: "prose gallery-says" }, says),
    exhibits,
  );
}

/** One state with its name over it. */
export function exhibit(name: string, ...content: Child[]): HTMLElement {
  return h("div", { class: "exhibit", dataset: { exhibit: name } }, h("h3", null, name), content);
}
