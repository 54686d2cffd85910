import { type Child, h } from "../../draw/dom";
import { pageWidth } from "../../draw/sight";

/** The width in pixels from which there is room for everything (see beginning.css). */
const ROOMY = 641;

/**
 * What can wait: it stands open where there is room, without its summary, and folds behind the summary on a narrow
 * page. Whoever opens it there finds it open until the page changes.
 */
export function foldAway(stop: AbortSignal, summary: string, ...content: Child[]): HTMLDetailsElement {
  let roomy = true;
  const element = h("details", { class: "fold-away", open: roomy }, h("summary", null, summary), content);
  // Its own width changes whenever the page's does, and first when it is laid out.
  const observer = new ResizeObserver(() => {
    const now = pageWidth(element) >= ROOMY;
    if (now !== roomy) element.open = now;
    roomy = now;
  });
  observer.observe(element);
  stop.addEventListener("abort", () => observer.disconnect());
  return element;
}
