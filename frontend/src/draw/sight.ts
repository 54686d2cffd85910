/** What a person sees of a page at once: the window or, in a notebook, the box in which the page scrolls. */

/** Marks the box in which a page scrolls, where that is not the window. */
export const BOX = "data-sight";

/** The box in which the page of `element` scrolls, or null for the window. */
export function boxOf(element: Element): HTMLElement | null {
  return element.closest<HTMLElement>(`[${BOX}]`);
}

/** Where it begins and ends, in the coordinates of `getBoundingClientRect`. */
export function sightOf(element: Element): { top: number; bottom: number; height: number } {
  const { top, bottom, height } = boxOf(element)?.getBoundingClientRect() ?? {
    top: 0,
    bottom: innerHeight,
    height: innerHeight,
  };
  return { top, bottom, height };
}

/** The width of the page that `element` stands in, which the style sheets ask for, too. */
export function pageWidth(element: Element): number {
  return element.closest(".clearhead")?.clientWidth || innerWidth;
}

/**
 * Scrolls until `element` is seen. In a box only what is inside of it moves: the notebook around it stays where its
 * reader left it.
 */
export function bringIntoSight(
  element: Element,
  block: ScrollLogicalPosition,
  behavior: ScrollBehavior = "auto",
): void {
  const box = boxOf(element);
  if (box === null) {
    element.scrollIntoView?.({ block, inline: "nearest", behavior });
    return;
  }
  for (let at = element.parentElement; at !== null && at !== box; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight || at.scrollWidth > at.clientWidth) nearest(at, element);
  }
  const room = box.getBoundingClientRect();
  const { top, bottom, height } = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const before = top - room.top - (Number.parseFloat(style.scrollMarginBlockStart) || 0);
  const after = bottom - room.bottom + (Number.parseFloat(style.scrollMarginBlockEnd) || 0);
  if (block === "center") box.scrollBy({ top: top + height / 2 - (room.top + room.height / 2), behavior });
  else if (block === "start" || before < 0) box.scrollBy({ top: before, behavior });
  else if (after > 0) box.scrollBy({ top: Math.min(after, before), behavior });
}

/** Scrolls a small frame as little as it takes for `element` to be seen in it. */
function nearest(frame: Element, element: Element): void {
  const [inner, outer] = [element.getBoundingClientRect(), frame.getBoundingClientRect()];
  const by = (start: number, end: number) => (start < 0 ? start : end > 0 ? Math.min(end, start) : 0);
  frame.scrollBy({
    top: by(inner.top - outer.top, inner.bottom - outer.bottom),
    left: by(inner.left - outer.left, inner.right - outer.right),
  });
}
