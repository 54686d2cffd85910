import { type PipelineBar, type PipelineStop, pipelineBar } from "../../draw/pipeline";
import { boxOf, sightOf } from "../../draw/sight";
import { alignTop } from "./aligning";

/** What the bar can lead to. */
export interface Target {
  element: HTMLElement;
  heading: HTMLElement;
}

/** The part of the window that counts as "being read": a band a little above its middle. */
const READING_BAND = "-35% 0px -60% 0px";

/** A pipeline bar that leads to the stops and marks the one being read. */
export function followingBar(
  stops: PipelineStop[],
  sections: ReadonlyMap<string, Target>,
  stop: AbortSignal,
): PipelineBar {
  const bar = pipelineBar(stops, (id) => {
    const section = sections.get(id);
    if (!section) return;
    section.heading.focus({ preventScroll: true });
    alignTop(section.element);
  });
  const inBand = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inBand.add(target);
        else inBand.delete(target);
      }
      // Where two stops meet in the band, the later one is the one that the reader comes to.
      const reading = [...stops]
        .reverse()
        .find((one) => inBand.has(sections.get(one.id)?.element as Element));
      const first = stops[0];
      if (reading) bar.current(reading.id);
      else if (first && isAhead(sections.get(first.id)?.element)) bar.current(first.id);
    },
    { root: boxOf([...sections.values()][0]?.element ?? bar.element), rootMargin: READING_BAND },
  );
  for (const section of sections.values()) observer.observe(section.element);
  stop.addEventListener("abort", () => observer.disconnect());
  if (stops[0]) bar.current(stops[0].id);
  return bar;
}

/** The reader is still above it: at the sentence and its switches. */
function isAhead(element: HTMLElement | undefined): boolean {
  return element !== undefined && element.getBoundingClientRect().top > sightOf(element).top;
}
