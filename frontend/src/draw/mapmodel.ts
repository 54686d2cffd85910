/** What a map of weights is drawn from, how large its cells are, and which of its labels have room. */
import type { Digits } from "./numbers";
import { cut, spokenToken, visibleToken } from "./token";

export interface MapLabel {
  text: string;
  /** Its number, which has a colour; a layer or a patch has none. */
  position?: number;
  /** "padding", "special": said with its name. */
  note?: string;
}

/** The note of a position that is no part of the text. */
export const PADDING = "padding";

export interface MapAxis {
  /** "query (asks)" */
  name: string;
  labels: readonly MapLabel[];
  /** The first position that the model wrote itself. */
  written?: number | null;
}

export interface WeightMapModel {
  /** "weights of L3H1" */
  name: string;
  rows: MapAxis;
  columns: MapAxis;
  /** Row-major. */
  values: Float64Array;
  /** Where the scale of colours ends. */
  largest: number;
  /** 1 where the cell is masked. */
  hidden?: Uint8Array | null;
  /** Rows that see nothing. */
  blind?: readonly number[];
  /** One more column, such as the share of a sink. */
  side?: { name: string; values: Float64Array } | null;
  /** The chosen row, or null. */
  row?: number | null;
  pins?: readonly number[];
  /** Found positions, and the one the search is at. */
  found?: { positions: readonly number[]; at: number | null };
  digits: Digits;
  /** What a number is called in the legend: "weight" where nothing is said. */
  value?: string;
  /** The most pixels that the side of a cell may have. */
  cell?: number;
}

export interface MapPlace {
  row: number;
  column: number;
}

/** What one label needs so that it does not touch the next, in the size of its letters. */
const LABEL_ROOM = 1.25;
const SMALLEST = 3;
const LARGEST = 30;

/** The side of a cell in pixels: as large as fits `room`, but neither too small to point at nor needlessly large. */
export function cellSize(columns: number, room: number, largest = LARGEST): number {
  return Math.max(SMALLEST, Math.min(largest, Math.floor(room / Math.max(1, columns))));
}

/** The width of the column of a sink, with the gap after it, in cells at least this wide. */
export const SIDE = 14;
const SIDE_GAP = 6;

export function sideWidth(model: WeightMapModel, cell: number): number {
  return model.side ? Math.max(SIDE, cell) + SIDE_GAP : 0;
}

/** How many cells one label in letters of `size` pixels takes: 1 where all of them are named. */
export function stride(cell: number, size = 12): number {
  return Math.max(1, Math.ceil((LABEL_ROOM * size) / cell));
}

/**
 * Which labels are written between `from` and `to`: every stride-th, and always the ones in `must`, before which the
 * regular ones give way.
 */
export function writtenLabels(from: number, to: number, every: number, must: ReadonlySet<number>): number[] {
  const special = [...must].filter((at) => at >= from && at < to);
  const written = new Set<number>();
  for (const at of special) if (![...written].some((other) => Math.abs(other - at) < every)) written.add(at);
  const first = Math.ceil(from / every) * every;
  for (let at = first; at < to; at += every)
    if (!special.some((other) => Math.abs(other - at) < every)) written.add(at);
  return [...written].sort((a, b) => a - b);
}

/** One sentence on the labels that have no room; empty where all have. */
export function labelRule(cell: number, axes: { name: string; count: number }[], size = 12): string {
  const every = stride(cell, size);
  const named = axes.filter(({ count }) => count > every);
  if (every === 1 || named.length === 0) return "";
  return (
    `There is room to name every ${ordinal(every)} place. The chosen, pinned and found ones are named first, ` +
    "the others under the pointer."
  );
}

function ordinal(n: number): string {
  const ending = { 1: "st", 2: "nd", 3: "rd" }[n % 10];
  return `${n}${ending !== undefined && Math.floor(n / 10) !== 1 ? ending : "th"}`;
}

/** Letters of a label, of which no map has room for more; a token may have ten thousands. */
const LETTERS = 100;

/** "3 dog", and with its note "0 <s> (special)". */
export function labelText({ text, position, note }: MapLabel, spoken = false): string {
  const shown = position === undefined ? text : spoken ? spokenToken(text) : visibleToken(text);
  const word = cut(shown, LETTERS);
  const numbered = position === undefined ? word : `${position} ${word}`;
  return note ? `${numbered} (${note})` : numbered;
}
