/** From a pattern and a place to the recipe that stands there; the other way of `clearhead/lenses/patterns/flat.py`. */
import type { FunctionName, Recipe } from "../../reading/recipe";
import type { Recipe as Patterns, Variant } from "../../wire/types";
import type { Numbers } from "./content";

type Shape = Variant["shape"];
type Rule = Variant["ints"][number];

/** Gives a leaf its quantity and its value. */
export type Look = (slot: number, index: number[]) => { quantity: string; index: number[]; value: number };

/** The numbers of a shape, taken in turn. */
interface Source {
  int(): number;
  float(): number;
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

function follow(rule: Rule, index: number[], rank: number, buffers: Numbers[]): number {
  const [how, first, more] = rule as [string, number, number];
  if (how === "at") return (index[first] as number) + more;
  if (how === "of") return (buffers[first] as Numbers)[rank] as number;
  return numberOf(first);
}

/** A number as JSON has it: what is not finite stands as Python writes it. */
export function numberOf(written: number | string): number {
  if (typeof written === "number") return written;
  return written === "inf" ? Infinity : written === "-inf" ? -Infinity : Number.NaN;
}

/** The variant of a place, and its numbers. */
export function standing(
  given: Patterns,
  buffers: Numbers[],
  index: number[],
  flat: number,
): { shape: Shape; ints: number[]; floats: number[] } {
  const [variant, rank] = placeOf(given, buffers, flat);
  const all = (rules: Rule[]) => rules.map((rule) => follow(rule, index, rank, buffers));
  return { shape: variant.shape, ints: all(variant.ints), floats: all(variant.floats) };
}

/** The recipe of a cell. */
export function recipeAt(
  given: Patterns,
  buffers: Numbers[],
  index: number[],
  flat: number,
  look: Look,
): Recipe {
  const { shape, ints, floats } = standing(given, buffers, index, flat);
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
  const [, , term, steps] = shape as [string, string | null, Shape, number[]];
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
