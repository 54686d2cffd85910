/** From a pattern and a place to the recipe that stands there; the other way of `clearhead/lenses/patterns/flat.py`. */
import type { FunctionName, Recipe } from "../../reading/recipe";
import type { Recipe as Patterns, Variant } from "../../wire/types";
import type { Numbers } from "./content";

export type Shape = Variant["shape"];
export type Rule = Variant["ints"][number];

/** Gives a leaf its quantity and its value. */
export type Look = (slot: number, index: number[]) => { quantity: string; index: number[]; value: number };

/** The numbers of a shape, taken in turn. */
interface Source {
  int(): number;
  float(): number;
}

/** A cell's place, as rules ask for it. */
export interface Place {
  index: number[];
  /** Along all axes but the last. */
  row: number;
  /** Among the cells of its variant. */
  rank: number;
}

/** Which variant stands in a place, and how many places of the same one come before it. */
function placeOf(given: Patterns, buffers: Numbers[], flat: number): [variant: Variant, rank: number] {
  const which = given.which === undefined ? undefined : buffers[given.which];
  if (which === undefined) return [given.variants[0] as Variant, flat];
  const own = which[flat] as number;
  let rank = 0;
  for (let at = 0; at < flat; at++) if (which[at] === own) rank++;
  return [given.variants[own] as Variant, rank];
}

/** The number that a rule gives in a place; the place may change between two calls. */
export function ruled(rule: Rule, buffers: Numbers[], place: Place): () => number {
  const [how, first, more] = rule as [string, number, number];
  if (how === "at") return () => (place.index[first] as number) + more;
  if (how === "is") {
    const number = numberOf(first);
    return () => number;
  }
  const column = buffers[first] as Numbers;
  return how === "row" ? () => column[place.row] as number : () => column[place.rank] as number;
}

/** A number as JSON has it: what is not finite stands as Python writes it. */
export function numberOf(written: number | string): number {
  if (typeof written === "number") return written;
  return written === "inf" ? Infinity : written === "-inf" ? -Infinity : Number.NaN;
}

/** The variant of a place, and its numbers. `shape` is that of the array. */
export function standing(
  given: Patterns,
  buffers: Numbers[],
  { index, flat, shape }: Cell,
): { shape: Shape; ints: number[]; floats: number[] } {
  const [variant, rank] = placeOf(given, buffers, flat);
  const place = { index, row: Math.floor(flat / (shape.at(-1) ?? 1)), rank };
  const all = (rules: Rule[]) => rules.map((rule) => ruled(rule, buffers, place)());
  return { shape: variant.shape, ints: all(variant.ints), floats: all(variant.floats) };
}

/** A cell of an array: its place there, and among all cells in reading order. */
export interface Cell {
  index: number[];
  flat: number;
  shape: number[];
}

/** The recipe of a cell. */
export function recipeAt(given: Patterns, buffers: Numbers[], cell: Cell, look: Look): Recipe {
  const { shape, ints, floats } = standing(given, buffers, cell);
  return build(shape, inTurn(ints, floats), look);
}

function inTurn(ints: number[], floats: number[]): Source {
  let [int, float] = [0, 0];
  return { int: () => ints[int++] as number, float: () => floats[float++] as number };
}

function build(shape: Shape, source: Source, look: Look): Recipe {
  const part = (one: unknown) => build(one as Shape, source, look);
  const all = (many: unknown) => (many as Shape[]).map(part);
  const [kind, first, second] = shape as [string, never, never];
  switch (kind) {
    case "cell": {
      const index = Array.from({ length: second }, source.int);
      return { kind, ...look(first, index) };
    }
    case "number":
      return { kind, value: source.float(), ...(first === null ? {} : { symbol: first }) };
    case "sum":
      return { kind, terms: all(second), ...over(first) };
    case "each":
      return { kind: "sum", terms: counted(shape, source, look), ...over(first) };
    case "each_and": {
      const terms = counted(shape, source, look);
      return { kind: "sum", terms: [...terms, part(shape[4])], ...over(first) };
    }
    case "product":
      return { kind, factors: all(first) };
    case "function":
      return { kind, name: first as FunctionName, arguments: all(second) };
    case "difference":
      return { kind, left: part(first), right: part(second) };
    case "quotient":
      return { kind, top: part(first), bottom: part(second) };
    case "power":
      return { kind, base: part(first), exponent: part(second) };
    default:
      return { kind: kind as "root" | "exp", of: part(first) };
  }
}

const over = (axis: string | null) => (axis === null ? {} : { over: axis });

/** Terms that count on: each is the first with some of its whole numbers one larger than in the one before. */
function counted(shape: Shape, source: Source, look: Look): Recipe[] {
  const [, , term, steps] = shape as [string, string | null, Shape, number[], ...Shape[]];
  const count = source.int();
  const first = steps.map(source.int);
  const floats: number[] = [];
  return Array.from({ length: count }, (_, place) => {
    const ints = first.map((number, at) => number + place * (steps[at] as number));
    let taken = 0;
    const float = () => {
      // the numbers of the first term are those of every other
      if (place === 0) floats.push(source.float());
      return floats[taken++] as number;
    };
    return build(term, { int: inTurn(ints, []).int, float }, look);
  });
}
