import { bare, layerOf } from "../../draw/layers";
import type { AxisLabels } from "../../draw/matrix";
import type { Drawable, Picture } from "../../state/picture";
import type { CellRef, Edit } from "../../wire/types";
import { madeOf } from "./madeof";

/** One drawn row: every cell of `quantity` whose index starts with `prefix`, along its last axis. */
export interface RowSource {
  quantity: string;
  prefix: number[];
  /** Where it stands among the numbers that are there, when those are only some of the quantity. */
  at?: number[];
}

/**
 * What one matrix on the page shows. Each drawn row says which cells it stands for, so a whole matrix, one head of
 * it, and a comparison made of rows from several quantities are opened, edited and lit in the same way.
 */
export interface Figure {
  /** Unique on the page and the same in every later picture. */
  key: string;
  name: string;
  /** "Q · K^T" */
  made?: string | undefined;
  says: string;
  shape: string;
  rows: AxisLabels;
  columns: AxisLabels;
  sources: RowSource[];
  /** Which columns these are, where some of a longer axis are left out. */
  places?: readonly number[];
  /** A single number, which has no place in a row: its cell has an empty index. */
  scalar?: boolean;
  scale: "signed" | "weights";
  editable: boolean;
}

/**
 * The labels along an axis: words at positions, words of the vocabulary, or plain numbers. With `places`, those of a longer
 * axis that are shown.
 */
export function axisLabels(
  axis: string,
  length: number,
  picture: Picture,
  places?: readonly number[],
): AxisLabels {
  const words = wordsAlong(axis, picture);
  const name = (words: readonly string[], none: (i: number) => string) =>
    Array.from({ length }, (_, i) => words[places?.[i] ?? i] ?? none(places?.[i] ?? i));
  if (axis === "position" || axis === "query" || axis === "key") {
    if (words.length === 0)
      return { axis, kind: "position", labels: name([], String), count: length, wordless: true };
    // A learned table P may have more rows than the sentence has words.
    const labels = name(words, () => "not used");
    return { axis, kind: "position", labels, count: words.length, ...(places ? { places } : {}) };
  }
  if (axis === "vocabulary") return { axis, kind: "word", labels: name(words, String) };
  return { axis, kind: "index", labels: name([], String) };
}

/** The words of an axis, by place; none where it counts something else. */
export function wordsAlong(axis: string, { data, keys }: Picture): readonly string[] {
  if (axis === "key") return keys ?? data.tokens;
  if (axis === "position" || axis === "query") return data.tokens;
  return axis === "vocabulary" ? data.vocabulary : [];
}

/** A side of one place that needs no name. */
const ONE: AxisLabels = { axis: "", kind: "index", labels: [""] };

/** The figures of one quantity: one per head, the one of the chosen query, or the whole matrix. */
export function figuresOf(place: string, drawable: Drawable, picture: Picture, query: number): Figure[] {
  const { axes, shape } = drawable.about;
  if (axes.length < 3) return [figure(place, drawable, picture, [])];
  if (axes[0] !== "head") return [figure(place, drawable, picture, [Math.min(query, (shape[0] ?? 1) - 1)])];
  return Array.from({ length: shape[0] ?? 0 }, (_, head) => figure(place, drawable, picture, [head]));
}

function figure(place: string, drawable: Drawable, picture: Picture, leading: number[]): Figure {
  const { name, axes, shape, scale, editable, folds } = drawable.about;
  const placesOf = (axis: number) => folds?.[axis]?.places;
  const wholly = (index: number[]) => index.map((at, axis) => placesOf(axis)?.[at] ?? at);
  const says = [drawable.about.says, ...(folds ?? []).flatMap((fold) => fold?.says || [])].join(" · ");
  const row = leading.length;
  const rank = axes.length - row;
  const matrix = rank === 2;
  const [rowCount, columnCount] = matrix ? [shape[row] ?? 0, shape[row + 1] ?? 0] : [1, shape[row] ?? 1];
  // What is shown may be a part; the size is that of the whole.
  const whole = (axis: number, shown: number) => folds?.[axis]?.of ?? shown;
  const sizes = [matrix ? whole(row, rowCount) : 1, whole(axes.length - 1, columnCount)];
  const size = rank === 0 ? "one number" : sizes.join(" × ");
  // A quantity that stays the same quantity in another layer keeps its table, its focus and its scroll.
  const key = `${place}/${bare(name)}/${axes[0] === "head" && row > 0 ? leading[0] : "all"}`;
  const layer = layerOf(name);
  const head = row > 0 && `${axes[0]} ${wholly(leading)[0]}`;
  const parts = [layer !== null && `layer ${layer}`, head, size];
  return {
    key,
    name: bare(name),
    made: madeOf(drawable.about, (input) => picture.quantities.get(input)?.about) ?? undefined,
    says,
    shape: parts.filter(Boolean).join(" · "),
    rows: matrix ? axisLabels(axes[row]!, rowCount, picture, placesOf(row)) : ONE,
    columns:
      rank === 0 ? ONE : axisLabels(axes[axes.length - 1]!, columnCount, picture, placesOf(axes.length - 1)),
    sources: Array.from({ length: rowCount }, (_, i) => {
      const at = matrix ? [...leading, i] : leading;
      return folds ? { quantity: name, prefix: wholly(at), at } : { quantity: name, prefix: at };
    }),
    ...(placesOf(axes.length - 1) ? { places: placesOf(axes.length - 1)! } : {}),
    scale,
    editable,
    ...(rank === 0 ? { scalar: true } : {}),
  };
}

/** The numbers of a figure, row by row; what some of its quantities lack is left out of all rows alike. */
export interface FigureNumbers {
  values: Float64Array;
  difference?: Float64Array;
  forbidden?: Uint8Array;
  reshaped: boolean;
}

export function numbersOf(shown: Figure, picture: Picture): FigureNumbers {
  const width = shown.columns.labels.length;
  const drawables = shown.sources.map((source) => picture.quantities.get(source.quantity));
  const gather = <T extends Float64Array | Uint8Array>(
    into: T,
    pick: (drawable: Drawable) => T | null,
  ): T => {
    shown.sources.forEach((source, row) => {
      const drawable = drawables[row];
      const from = drawable ? pick(drawable) : null;
      if (!drawable || !from) return;
      const start = offset(source.at ?? source.prefix, drawable.about.shape);
      into.set(from.subarray(start, start + width), row * width);
    });
    return into;
  };
  const size = shown.sources.length * width;
  const numbers: FigureNumbers = {
    values: gather(new Float64Array(size), (drawable) => drawable.values),
    reshaped: drawables.some((drawable) => drawable?.about.reshaped === true),
  };
  if (drawables.some((drawable) => drawable?.difference)) {
    numbers.difference = gather(new Float64Array(size), (drawable) => drawable.difference);
  }
  if (drawables.some((drawable) => drawable?.forbidden)) {
    numbers.forbidden = gather(new Uint8Array(size), (drawable) => drawable.forbidden);
  }
  return numbers;
}

/** Where the row that starts with `prefix` begins in the flat values. */
function offset(prefix: number[], shape: number[]): number {
  const whole = prefix.reduce((sum, at, axis) => sum * (shape[axis] ?? 1) + at, 0);
  return whole * (shape[shape.length - 1] ?? 1);
}

export function cellAt(shown: Figure, row: number, column: number): CellRef | null {
  const source = shown.sources[row];
  if (!source) return null;
  const last = shown.places?.[column] ?? column;
  return { quantity: source.quantity, index: shown.scalar ? source.prefix : [...source.prefix, last] };
}

/** The drawn cells that a pattern covers; null in a pattern stands for every index along that axis. */
export function cellsOf(
  shown: Figure,
  quantity: string,
  pattern: readonly (number | null)[],
): [number, number][] {
  const found: [number, number][] = [];
  const last = pattern[pattern.length - 1] ?? null;
  shown.sources.forEach((source, row) => {
    if (source.quantity !== quantity) return;
    if (!source.prefix.every((at, axis) => (pattern[axis] ?? at) === at)) return;
    const column = last === null || !shown.places ? last : shown.places.indexOf(last);
    if (column !== null && column < 0) return;
    if (column !== null) found.push([row, column]);
    else for (let column = 0; column < shown.columns.labels.length; column++) found.push([row, column]);
  });
  return found;
}

/**
 * The edit that gives a drawn cell a value; the rows of E are named by their words, which survive a new order, and the
 * entries of a vector count as rows.
 */
export function editOf(
  shown: Figure,
  picture: Picture,
  row: number,
  column: number,
  value: number,
): Edit | null {
  const source = shown.sources[row];
  if (!source || !shown.editable) return null;
  const [at] = source.prefix;
  if (at === undefined) return { matrix: source.quantity, row: column, column: 0, value };
  const word = picture.data.vocabulary[at];
  const key = source.quantity === "E" ? word : at;
  if (key === undefined) return null;
  return { matrix: source.quantity, row: key, column, value };
}
