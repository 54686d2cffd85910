/** The values that undo and redo walk through; the newest first in each list. */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
}

/** More steps back than anyone takes, and still a small amount of memory. */
const LONGEST = 200;

export function begin<T>(present: T): History<T> {
  return { past: [], present, future: [] };
}

/** A change made by the person: what could be redone before it is gone. */
export function record<T>(history: History<T>, present: T): History<T> {
  return { past: [history.present, ...history.past].slice(0, LONGEST), present, future: [] };
}

/** One step back; the same history when there is none. */
export function undo<T>(history: History<T>): History<T> {
  const [present, ...past] = history.past;
  if (present === undefined) return history;
  return { past, present, future: [history.present, ...history.future] };
}

/** One undone step forward again; the same history when there is none. */
export function redo<T>(history: History<T>): History<T> {
  const [present, ...future] = history.future;
  if (present === undefined) return history;
  return { past: [history.present, ...history.past], present, future };
}
