import { attribute } from "../../draw/dom";

/**
 * Makes formulas reachable with the keyboard while they are wider than the window, so that they can be scrolled; one
 * that fits is no stop for Tab. Returns what ends the watching.
 */
export function reachWideFormulas(formulas: HTMLElement[]): () => void {
  const observer = new ResizeObserver(() => {
    for (const formula of formulas) {
      const wide = formula.scrollWidth > formula.clientWidth;
      attribute(formula, "tabindex", wide ? "0" : null);
      attribute(formula, "role", wide ? "group" : null);
      attribute(formula, "aria-label", wide ? "formula, wider than the window" : null);
    }
  });
  for (const formula of formulas) observer.observe(formula);
  return () => observer.disconnect();
}
