import type { CellRef, Change, ModelState, Pool } from "../wire/types";
import { same } from "./page";

/** What the numbers of a head can be coloured and sorted by. */
export const STATISTICS = ["entropy", "first", "previous", "induction", "duplicate", "distance"] as const;
export type Statistic = (typeof STATISTICS)[number];

/** Where the deep zoom stands: the cell in its middle, and how many pixels a cell has. */
export interface ZoomPlace {
  row: number;
  column: number;
  size: number;
}

/** Everything that the Model part shows: what the session is asked, and what the person is looking at. */
export interface ModelLook extends ModelState {
  /** The query that was chosen. */
  query?: number;
  /** The pinned tokens, in the order they were pinned. */
  pins?: number[];
  /** A map, or lines from token to token. */
  show?: "map" | "lines";
  values?: "weights" | "contribution";
  /** Where the scale of colours ends: at 1, or at the largest number there is. */
  ends?: "one" | "largest";
  /** What the overview shows instead of small maps. */
  colour?: Statistic;
  /** The walkthrough of the chosen head is open. */
  worked?: boolean;
  /** Attention is followed through the layers. */
  through?: boolean;
  /** The open cell of that walkthrough, or of the deep zoom. */
  number?: CellRef;
  /** What the deep zoom shows; the whole square where nothing is said. */
  zoom?: ZoomPlace;
  /** What a point of the deep zoom stands for that holds many weights. */
  pool?: Pool;
  /** How a weight becomes a colour in the deep zoom. */
  shade?: "linear" | "log";
}

/** At most this many tokens are pinned at once: more lines than that cannot be told apart. */
export const MOST_PINS = 8;

/** The part that says which model reads what: while it is the same, so is the overview. */
export function runOf({ model, text, decoder, generate, batch, changes }: ModelLook): ModelState {
  return compact({ model, text, decoder, generate, batch, changes });
}

/** The part that says which head is shown. */
export function headOf(look: ModelLook): ModelState {
  const { tower, layer, head } = look;
  return { ...runOf(look), ...compact({ tower, layer, head }) };
}

/** What the model reads. */
function readingOf({ model, text, decoder, generate }: ModelLook): unknown[] {
  return [model, text, decoder, generate];
}

/** Another head; what was open of the old one is closed. */
export function chooseHead(look: ModelLook, tower: string, layer: number, head: number): ModelLook {
  const { number: _, ...rest } = look;
  const sameTower = (look.tower ?? tower) === tower;
  return { ...(sameTower ? rest : withoutPlaces(rest)), tower, layer, head };
}

/** Another text or another model: its tokens are others, so nothing is pinned. The switches are kept while they fit. */
export function rerun(look: ModelLook, next: Partial<ModelLook>): ModelLook {
  const sameModel = next.model === undefined || next.model === look.model;
  const whole = { ...look, ...next };
  if (JSON.stringify(readingOf(whole)) === JSON.stringify(readingOf(look))) return compact(whole);
  const plain = withoutPlaces(look);
  const { tower: _, layer: __, head: ___, changes, ...other } = plain;
  const kept = (changes ?? []).filter((change) => change.kind !== "weight");
  if (!sameModel) return compact({ ...other, ...next });
  return compact({ ...plain, ...next, changes: kept.length > 0 ? kept : undefined });
}

function withoutPlaces(look: ModelLook): ModelLook {
  const { query: _, pins: __, number: ___, zoom: ____, ...rest } = look;
  return rest;
}

/** Pins a token or takes its pin away; null where there are as many as there may be. */
export function togglePin(pins: readonly number[], at: number): number[] | null {
  if (pins.includes(at)) return pins.filter((pin) => pin !== at);
  return pins.length < MOST_PINS ? [...pins, at] : null;
}

/** Adds a switch; a second one of the same kind at the same place takes the place of the first. */
export function addChange(changes: readonly Change[] | undefined, change: Change): Change[] {
  return [...(changes ?? []).filter((other) => placeOf(other) !== placeOf(change)), change];
}

function placeOf({ value: _, ...rest }: Change): string {
  return JSON.stringify(Object.entries(rest).sort());
}

/** The same without what is undefined: two equal looks are then written alike. */
function compact<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Whether two looks differ in nothing but where the deep zoom stands. */
export function onlyMoved(a: ModelLook | undefined, b: ModelLook | undefined): boolean {
  if (!a || !b || same(a.zoom, b.zoom)) return false;
  return same({ ...a, zoom: undefined }, { ...b, zoom: undefined });
}
