import { nextWordExtra } from "./nextword";
import { roundTripExtra } from "./roundtrip";
import type { Scene, StopHandlers } from "./scene";

/** What a stop has beside its matrices. */
export interface StopExtra {
  element: HTMLElement;
  /** Whether it stands before the matrices or after them. */
  place: "before" | "after";
  update(scene: Scene): void;
}

const EXTRAS: Record<string, (handlers: StopHandlers) => StopExtra> = {
  "next-word": nextWordExtra,
  loss: roundTripExtra,
};

export function stopExtra(stop: string, handlers: StopHandlers): StopExtra | null {
  return EXTRAS[stop]?.(handlers) ?? null;
}
