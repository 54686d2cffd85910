import { attribute } from "../../draw/dom";

/** No formula of this page is wider than this many pixels, so in a wider stop none needs to be measured. */
const WIDEST_FORMULA = 700;

/**
 * Makes the formulas in `stop` reachable with the keyboard while they are wider than their place, so that they can be
 * scrolled; one that fits is no stop for Tab. The stop is watched, not the formulas: its width is theirs.
 */
export function reachWideFormulas(stop: HTMLElement): void {
  const observer = new ResizeObserver(() => markWideFormulas(stop));
  observer.observe(stop);
}

/** Marks the formulas as they are now; also to be called when the formulas are others. */
export function markWideFormulas(stop: HTMLElement): void {
  const narrow = stop.clientWidth < WIDEST_FORMULA;
  for (const formula of stop.querySelectorAll(".formula")) {
    const wide = narrow && formula.scrollWidth > formula.clientWidth;
    attribute(formula, "tabindex", wide ? "0" : null);
    attribute(formula, "role", wide ? "group" : null);
    attribute(formula, "aria-label", wide ? "formula, wider than the window" : null);
  }
}
