import { type PipelineBar, pipelineBar } from "../../draw/pipeline";
import type { Stop } from "../../wire/types";
import { scrollTo } from "./pointing";
import type { StopSection } from "./stop";

/** The part of the window that counts as "being read": a band a little above its middle. */
const READING_BAND = "-35% 0px -60% 0px";

/** A pipeline bar that leads to the stops and marks the one being read. */
export function followingBar(
  stops: Stop[],
  sections: ReadonlyMap<string, StopSection>,
  stop: AbortSignal,
): PipelineBar {
  const bar = pipelineBar(stops, (id) => {
    const section = sections.get(id);
    if (!section) return;
    section.heading.focus({ preventScroll: true });
    scrollTo(section.element, "start");
  });
  const observer = new IntersectionObserver(
    (entries) => {
      const reading = entries.find((entry) => entry.isIntersecting)?.target as HTMLElement | undefined;
      if (reading?.dataset.stop) bar.current(reading.dataset.stop);
    },
    { rootMargin: READING_BAND },
  );
  for (const section of sections.values()) observer.observe(section.element);
  stop.addEventListener("abort", () => observer.disconnect());
  if (stops[0]) bar.current(stops[0].id);
  return bar;
}
