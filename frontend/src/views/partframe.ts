import { type Child, h, uniqueId } from "../draw/dom";
import { inline } from "../draw/inline";

/** The frame of a part: its heading, a few sentences, and what it shows. */
export function partFrame(
  id: string,
  title: string,
  says: string[],
  ...content: Child[]
): { element: HTMLElement; heading: HTMLElement } {
  const headingId = uniqueId("part");
  const heading = h("h2", { id: headingId, tabindex: "-1" }, title);
  const element = h(
    "section",
    { class: "stop part", "aria-labelledby": headingId, dataset: { stop: id } },
    heading,
    h(
      "div",
      { class: "prose" },
      says.map((paragraph) => h("p", null, inline(paragraph))),
    ),
    content,
  );
  return { element, heading };
}
