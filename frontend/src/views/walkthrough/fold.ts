import { type Child, h } from "../../draw/dom";

/** The width from which there is room for everything (see beginning.css). */
const ROOMY = "(min-width: 40.01rem)";

/**
 * What can wait: it stands open where there is room, without its summary, and folds behind the summary in a narrow
 * window. Whoever opens it there finds it open until the window changes.
 */
export function foldAway(stop: AbortSignal, summary: string, ...content: Child[]): HTMLDetailsElement {
  const roomy = matchMedia(ROOMY);
  const element = h(
    "details",
    { class: "fold-away", open: roomy.matches },
    h("summary", null, summary),
    content,
  );
  const follow = () => {
    element.open = roomy.matches;
  };
  roomy.addEventListener("change", follow, { signal: stop });
  return element;
}
