import { boxOf, bringIntoSight, sightOf } from "../../draw/sight";

/** Frames without movement after which the page lies still. */
const STILL = 4;
/** Frames for which a place is kept; then the page is left as it is, whatever still moves. */
const MOST = 240;
/** What a person does to go elsewhere; nobody is pulled back. */
const TAKES_OVER = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

let inCharge = new AbortController();

/**
 * Scrolls the beginning of `element` to the top of the window, and keeps it there while the matrices above it, whose
 * heights were a guess until they came into sight, take their true size.
 */
export function alignTop(element: HTMLElement): void {
  align(element, "start");
}

/** The same for a small thing, which stands in the middle of the window. */
export function alignMiddle(element: HTMLElement): void {
  align(element, "center");
}

/**
 * Scrolling that a person asked for. It is smooth only where motion is welcome and the way is short enough to follow
 * with the eyes; a long way would also be measured with the guessed heights of stops that were never in sight.
 */
function scrollTo(element: Element, block: ScrollLogicalPosition): void {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const { top, height } = sightOf(element);
  const far = Math.abs(element.getBoundingClientRect().top - top) > height * 1.5;
  bringIntoSight(element, block, calm || far ? "auto" : "smooth");
}

function align(element: HTMLElement, block: "start" | "center"): void {
  inCharge.abort();
  inCharge = new AbortController();
  const { signal } = inCharge;
  for (const type of TAKES_OVER)
    addEventListener(type, () => inCharge.abort(), { signal, capture: true, passive: true });
  scrollTo(element, block);
  let last = Number.NaN;
  let still = 0;
  let frames = 0;
  const look = () => {
    if (signal.aborted) return;
    const top = element.getBoundingClientRect().top;
    still = Math.abs(top - last) < 1 ? still + 1 : 0;
    last = top;
    if (++frames > MOST) return inCharge.abort();
    if (still >= STILL) {
      // A smooth way ends where the beginning was when it set out; and what is drawn later may still push it away.
      if (!isAligned(element, block)) bringIntoSight(element, block, "instant");
      still = 0;
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Whether another scroll would move nothing: it is at its place, or the page ends before that. */
function isAligned(element: HTMLElement, block: "start" | "center"): boolean {
  const { ownerDocument } = element;
  const page = boxOf(element) ?? ownerDocument.scrollingElement ?? ownerDocument.documentElement;
  const sight = sightOf(element);
  const atEnd = page.scrollTop + page.clientHeight >= page.scrollHeight - 1;
  const { height, ...place } = element.getBoundingClientRect().toJSON() as DOMRect;
  const top = place.top - sight.top;
  const away =
    block === "start"
      ? top - Number.parseFloat(getComputedStyle(element).scrollMarginBlockStart)
      : top + height / 2 - page.clientHeight / 2;
  if (block === "center" && away < 0 && page.scrollTop <= 0) return true;
  return Math.abs(away) < 2 || (atEnd && away > 0);
}
