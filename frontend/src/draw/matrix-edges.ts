/** Where something is cut off by its box: a matrix, whose sides get a shadow and whose caption says that it scrolls. */

const WATCHED = new WeakMap<Element, () => void>();

/** One observer for all of them. Its answers wait for the next frame, because they may change a caption's height. */
const sizes =
  typeof ResizeObserver === "undefined"
    ? null
    : new ResizeObserver((entries) => {
        const looks = new Set(entries.map((entry) => WATCHED.get(entry.target)));
        requestAnimationFrame(() => {
          for (const look of looks) look?.();
        });
      });

/** Marks `frame`, which holds `box`, which scrolls `content`, with the sides behind which there is more. */
export function watchEdges(
  frame: HTMLElement,
  box: HTMLElement,
  content: HTMLElement,
  scrolls?: HTMLElement,
): void {
  const look = () => {
    const [width, height] = [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight];
    // Where text runs from right to left, scrollLeft counts down from 0.
    const [left, top] = [Math.abs(box.scrollLeft), box.scrollTop];
    frame.classList.toggle("more-before", left > 1);
    frame.classList.toggle("more-after", width - left > 1);
    frame.classList.toggle("more-above", top > 1);
    frame.classList.toggle("more-below", height - top > 1);
    if (scrolls) scrolls.hidden = width <= 1 && height <= 1;
  };
  box.addEventListener("scroll", look, { passive: true });
  for (const watched of [box, content]) {
    WATCHED.set(watched, look);
    sizes?.observe(watched);
  }
}
