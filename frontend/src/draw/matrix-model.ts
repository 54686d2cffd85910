/** What a matrix is drawn from, and the words that name one of its cells. */
import { type Digits, formatDifference, formatNumber } from "./numbers";
import { spokenToken } from "./token";
import type { Scale } from "./values";

export interface AxisLabels {
  /** The axis's name: "query", "key", "feature". */
  axis: string;
  /** Position labels are words and get their position's colour and number; words and indices get neither. */
  kind: "position" | "word" | "index";
  labels: string[];
  /** How many positions the sentence has, where the axis is longer: colours stay those of the other matrices. */
  count?: number;
  /** Which places these are, where some of a longer axis are left out. */
  places?: readonly number[];
  /** Nothing stands at these positions: they are numbers alone. */
  wordless?: boolean;
}

export interface MatrixModel {
  /** Unique on the page and stable over updates: "scores/0". */
  key: string;
  name: string;
  /** What it was made of, "Q · K^T", where a short expression says it. */
  made?: string | undefined;
  /** One short sentence: what this matrix is. */
  says: string;
  /** "head 0 · 5 × 5" */
  shape: string;
  rows: AxisLabels;
  columns: AxisLabels;
  /** Row-major; may hold −∞. */
  values: Float64Array;
  scale: Scale;
  /** 1 where the cell is masked, the same shape as `values`. */
  forbidden?: Uint8Array;
  /** `values` minus the values before, the same shape. Any nonzero entry marks its cell as changed. */
  difference?: Float64Array;
  /** What is said of a marked cell, where the difference is not from before: "changed" by itself. */
  marked?: string | undefined;
  /** Numbers that a person gave and nobody has computed with yet, by their place in `values`: they stand in for those. */
  pending?: ReadonlyMap<number, number> | undefined;
  /** Places in `values` whose numbers are not shown: they are to be predicted. */
  hidden?: ReadonlySet<number> | undefined;
  /** The matrix before had another shape, so no difference can be shown. */
  reshaped?: boolean;
  editable: boolean;
  digits: Digits;
  showDifference: boolean;
  /** Quiet buttons under the matrix, such as "copy". */
  actions?: { label: string; run(): void }[];
}

export interface MatrixHandlers {
  /** A cell was clicked or Enter pressed on it, or the current cell moved while a cell of this matrix is open. */
  open(row: number, column: number): void;
  /** A new value was typed into a cell and committed. */
  edit?(row: number, column: number, value: number): void;
}

export type LightRole = "opened" | "source" | "feeds";

/** What is drawn in one cell. */
export interface CellFace {
  text: string;
  difference: string;
  changed: boolean;
  masked: boolean;
  pending: boolean;
  hidden: boolean;
  label: string;
}

/** A change smaller than the number's own rounding is still a change; NaN (−∞ minus −∞) is none. */
export function isChanged(difference: number | undefined): boolean {
  return difference !== undefined && difference !== 0 && !Number.isNaN(difference);
}

export const NOT_COMPUTED = "not computed yet";

const TO_PREDICT = "to be predicted";

/** The number that stands in a cell: the one that was typed, while the picture does not have it. */
export function valueAt(model: MatrixModel, at: number): number {
  return model.pending?.get(at) ?? (model.values[at] as number);
}

export function cellFace(model: MatrixModel, row: number, column: number): CellFace {
  const at = row * model.columns.labels.length + column;
  const place = [model.name, places(model.rows)[row] ?? "", places(model.columns)[column] ?? ""].filter(
    Boolean,
  );
  if (model.hidden?.has(at)) {
    const label = [...place, TO_PREDICT].join(", ");
    return { text: "?", difference: "", changed: false, masked: false, pending: false, hidden: true, label };
  }
  const pending = model.pending?.has(at) === true;
  const value = valueAt(model, at);
  // What changed is known only of what was computed.
  const difference = pending ? undefined : model.difference?.[at];
  const changed = isChanged(difference);
  const masked = model.forbidden?.[at] === 1;
  const text = formatNumber(value, model.digits);
  const change = changed ? formatDifference(difference as number, model.digits) : "";
  // The two numbers stay together in the name, as they are on the screen, for whoever speaks to click.
  const number = model.showDifference && changed ? `${spokenNumber(text)} ${change}` : spokenNumber(text);
  const parts = [...place, number];
  if (masked) parts.push("masked");
  if (changed) parts.push(model.marked ?? "changed");
  if (pending) parts.push(NOT_COMPUTED);
  return {
    text,
    difference: model.showDifference ? change : "",
    changed,
    masked,
    pending,
    hidden: false,
    label: parts.filter(Boolean).join(", "),
  };
}

/** What an axis's places are called, once for all cells that stand on it. */
function places(axis: AxisLabels): string[] {
  let known = PLACES.get(axis);
  if (!known) {
    known = axis.labels.map((_, index) => axisPlace(axis, index));
    PLACES.set(axis, known);
  }
  return known;
}

const PLACES = new WeakMap<AxisLabels, string[]>();

/** "query 3 chased", "word dog", "feature 2" */
function axisPlace(axis: AxisLabels, index: number): string {
  const label = axis.labels[index] ?? "";
  if (axis.axis === "") return "";
  if (axis.wordless) return `${axis.axis} ${index}`;
  if (axis.kind === "position") return `${axis.axis} ${axis.places?.[index] ?? index} ${spokenToken(label)}`;
  return `${axis.axis} ${axis.kind === "word" ? spokenToken(label) : label}`;
}

/** Screen readers read "−∞" as nothing or as "dash". */
function spokenNumber(text: string): string {
  return text.replace("∞", "infinity").replace(/^−/, "minus ");
}
