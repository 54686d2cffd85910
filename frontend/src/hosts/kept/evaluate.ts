/**
 * All numbers of a quantity, worked out by its recipes. A recipe is not built for each of them: its pattern becomes a few
 * functions once, which read the numbers they need where those lie.
 */
import { compute, evaluate } from "../../reading/recipe";
import type { Recipe as Patterns, Variant } from "../../wire/types";
import type { Numbers } from "./content";
import { type Place, recipeAt, ruled, type Shape } from "./expand";

/** An array with the size of each of its axes. */
export interface Sized {
  values: Numbers;
  shape: number[];
}

/** A part of a recipe. */
interface Part {
  /** Takes its numbers for the present cell; whether any is another than for the cell before. */
  enter(): boolean;
  /** What it comes to; inside of a sum that counts on, in the term of that number. */
  at(term: number): number;
}

/** The values of all cells. */
export function evaluated(
  given: Patterns,
  buffers: Numbers[],
  shape: number[],
  inputs: Sized[],
): Float64Array {
  const made = new Float64Array(shape.reduce((product, size) => product * size, 1));
  const place: Place = { index: shape.map(() => 0), row: 0, rank: 0 };
  const parts = given.variants.map((variant) => compiled(variant, buffers, place, inputs));
  const ranks = parts.map(() => 0);
  const which = given.which === undefined ? null : (buffers[given.which] as Numbers);
  const width = shape.at(-1) ?? 1;
  for (let flat = 0; flat < made.length; flat++) {
    const own = which === null ? 0 : (which[flat] as number);
    place.row = Math.floor(flat / width);
    place.rank = ranks[own] as number;
    ranks[own] = place.rank + 1;
    const part = parts[own];
    if (part) {
      part.enter();
      made[flat] = part.at(0);
    } else made[flat] = one(given, buffers, place.index, flat, shape, inputs);
    advance(place.index, shape);
  }
  return made;
}

/** To the next cell in reading order. */
function advance(index: number[], shape: number[]): void {
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const next = (index[axis] as number) + 1;
    index[axis] = next < (shape[axis] as number) ? next : 0;
    if (next < (shape[axis] as number)) return;
  }
}

/** A single cell by its recipe as a tree: for patterns that are not compiled. */
function one(
  given: Patterns,
  buffers: Numbers[],
  index: number[],
  flat: number,
  shape: number[],
  inputs: Sized[],
): number {
  return evaluate(
    recipeAt(given, buffers, { index, flat, shape }, (slot, at) => {
      const { values, shape: sizes } = inputs[slot] as Sized;
      const place = at.reduce((sum, number, axis) => sum * (sizes[axis] as number) + number, 0);
      return { quantity: "", index: at, value: values[place] as number };
    }),
  );
}

/** The whole numbers of a shape in turn, each with how much it grows from term to term. */
type Turn = () => { number: () => number; step: number };

/** The functions of a variant; null where one sum that counts on stands inside of another. */
function compiled(variant: Variant, buffers: Numbers[], place: Place, inputs: Sized[]): Part | null {
  let [ints, floats] = [0, 0];
  const nextInt = () => ruled(variant.ints[ints++] as Variant["ints"][number], buffers, place);
  const nextFloat = () => ruled(variant.floats[floats++] as Variant["floats"][number], buffers, place);
  const plain: Turn = () => ({ number: nextInt(), step: 0 });
  let nested = false;

  function part(shape: Shape, turn: Turn): Part {
    const [kind, first, second] = shape as [string, never, never];
    const all = (shapes: Shape[]) => shapes.map((inside) => part(inside, turn));
    switch (kind) {
      case "cell": {
        const { values, shape: sizes } = inputs[first] as Sized;
        return cell(values, strided(sizes, second, turn));
      }
      case "number":
        return number(nextFloat());
      case "each":
      case "each_and": {
        nested ||= turn !== plain;
        const count = turn().number;
        const steps = (shape[3] as number[]).values();
        const term = part(shape[2] as Shape, () => ({ number: nextInt(), step: steps.next().value ?? 0 }));
        return counting(count, term, kind === "each" ? null : part(shape[4] as Shape, turn));
      }
      case "product":
        return node({ kind }, all(first));
      case "sum":
        return node({ kind }, all(second));
      case "function":
        return node({ kind, name: first } as { kind: string }, all(second));
      default:
        return node({ kind }, all(shape.slice(1) as Shape[]));
    }
  }

  const whole = part(variant.shape, plain);
  return nested ? null : whole;
}

interface Stride {
  number: () => number;
  size: number;
  step: number;
}

/** How far apart the places of each axis lie. */
function strided(sizes: number[], axes: number, turn: Turn): Stride[] {
  const found = Array.from({ length: axes }, (_, axis) => {
    const size = sizes.slice(axis + 1).reduce((product, one) => product * one, 1);
    const { number, step } = turn();
    return { number, size, step: step * size };
  });
  return found;
}

function cell(values: Numbers, strides: Stride[]): Part {
  const step = strides.reduce((sum, one) => sum + one.step, 0);
  let base = -1;
  return {
    enter() {
      let now = 0;
      for (const { number, size } of strides) now += number() * size;
      const other = now !== base;
      base = now;
      return other;
    },
    at: (term) => values[base + term * step] as number,
  };
}

function number(given: () => number): Part {
  let value = Number.NaN;
  return {
    enter() {
      const now = given();
      const other = !Object.is(now, value);
      value = now;
      return other;
    },
    at: () => value,
  };
}

/** A sum of terms that count on. That of a row's exponentials is the same for each of its cells: it is remembered. */
function counting(count: () => number, term: Part, last: Part | null): Part {
  let [terms, sum] = [-1, 0];
  return {
    enter() {
      const now = count();
      const other = [term.enter(), last?.enter() ?? false, now !== terms].includes(true);
      if (!other) return false;
      terms = now;
      sum = 0;
      for (let at = 0; at < terms; at++) sum += term.at(at);
      if (last !== null) sum += last.at(0);
      return true;
    },
    at: () => sum,
  };
}

/** The arithmetic of one node, as `compute` has it; that of two factors, which most are, without a list of them. */
function node(how: { kind: string }, parts: Part[]): Part {
  const enter = () => {
    let other = false;
    for (const one of parts) other = one.enter() || other;
    return other;
  };
  const [left, right] = parts;
  if (how.kind === "product" && parts.length === 2 && left && right)
    return { enter, at: (term) => left.at(term) * right.at(term) };
  if (how.kind === "exp" && left) return { enter, at: (term) => Math.exp(left.at(term)) };
  const values = parts.map(() => 0);
  return {
    enter,
    at(term) {
      for (let at = 0; at < parts.length; at++) values[at] = (parts[at] as Part).at(term);
      return compute(how, values);
    },
  };
}
