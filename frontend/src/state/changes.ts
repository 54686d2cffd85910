import type { Edit, Settings, State, TrainingPlan } from "../wire/types";
import { same } from "./page";

/** Pure changes of the computation's state: each gives a new state and leaves the old one for undo. */

export const SETTINGS = [
  "mask",
  "mask_fill",
  "scale",
  "heads",
  "positions",
  "scale_embeddings",
  "norm",
  "norm_place",
  "activation",
  "temperature",
] as const;

export type Setting = (typeof SETTINGS)[number];

export function setSetting<K extends Setting>(state: State, name: K, value: Settings[K]): State {
  return { ...state, [name]: value };
}

/** Change one entry; a second change of the same entry takes the place of the first. */
export function editEntry(state: State, edit: Edit): State {
  const others = (state.edits ?? []).filter((other) => !sameEntry(other, edit));
  return { ...state, edits: [...others, edit] };
}

function sameEntry(a: Edit, b: Edit): boolean {
  return a.matrix === b.matrix && a.row === b.row && a.column === b.column;
}

/** Give a word its whole row of E; single edits of that row would be written over it, so they go. */
export function setRow(state: State, word: string, row: number[]): State {
  const edits = state.edits?.filter((edit) => !(edit.matrix === "E" && edit.row === word));
  return { ...state, ...(edits ? { edits } : {}), rows: { ...state.rows, [word]: row } };
}

export function replaceWord(tokens: string[], at: number, word: string): string[] {
  return tokens.map((token, i) => (i === at ? word : token));
}

export function addWord(tokens: string[], word: string): string[] {
  return [...tokens, word];
}

export function removeWord(tokens: string[], at: number): string[] {
  return tokens.filter((_, i) => i !== at);
}

/** Move the word at `from` so that it stands at `to`; places beyond the ends mean the ends. */
export function moveWord(tokens: string[], from: number, to: number): string[] {
  const word = tokens[from];
  if (word === undefined) return tokens;
  const others = removeWord(tokens, from);
  const place = Math.max(0, Math.min(to, others.length));
  return [...others.slice(0, place), word, ...others.slice(place)];
}

/** The parameters as they are after `step` updates of a training. */
export function atStep(state: State, training: TrainingPlan, step: number): State {
  return { ...state, training, step };
}

/** Whether two states differ in nothing but the step of their training. */
export function onlySlid(a: State, b: State): boolean {
  return a.step !== b.step && same({ ...a, step: 0 }, { ...b, step: 0 });
}

/** The parameters as they were given. */
export function untrained({ training: _, step: __, ...state }: State): State {
  return state;
}

/** The state without anything the person changed. */
export function untouched(state: State): State {
  return { example: state.example };
}
