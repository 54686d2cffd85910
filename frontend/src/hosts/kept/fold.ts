/**
 * Which part of a long axis of a head is shown: what matters most for one query, and what lies around it. The same as
 * `clearhead/lenses/walkthrough/folds.py` shows of a head that begins at its queries, keys and values.
 */
import type { Fold, Quantity } from "../../wire/types";

const MOST_POSITIONS = 24;
const STRONGEST = 12;
const MOST_FEATURES = 12;
const FIRST_FEATURES = 4;

/** Quantities whose features are those of the values. */
const OF_VALUES = ["V", "mixed", "switched_off"];

/** The numbers of a head that decide: its weights, queries, keys and values, row by row. */
export interface Deciding {
  weights: ArrayLike<number>;
  query: ArrayLike<number>;
  key: ArrayLike<number>;
  value: ArrayLike<number>;
  /** How many keys, features of a key and of a value there are. */
  keys: number;
  wide: number;
  valueWide: number;
  /** Queries and keys are positions of one text. */
  own: boolean;
}

/** The folds of every axis around one query. */
export class Folds {
  private readonly row: number[];
  private readonly ofKeys: Fold | null;

  constructor(
    private readonly head: Deciding,
    private readonly query: number,
  ) {
    this.row = part(head.weights, query, head.keys);
    this.ofKeys = this.foldKeys();
  }

  /** For each axis which places are shown; null: all. */
  of({ name, axes, shape }: Quantity): (Fold | null)[] {
    return axes.map((axis, at) => {
      const size = shape[at] as number;
      if (axis === "key") return this.ofKeys;
      if (axis === "query") return this.around(size);
      return axis === "feature" && size > MOST_FEATURES ? this.features(name, size) : null;
    });
  }

  private foldKeys(): Fold | null {
    const { keys: size, own } = this.head;
    if (size <= MOST_POSITIONS) return null;
    let chosen = largest(this.row, own ? STRONGEST : MOST_POSITIONS);
    let says = `${MOST_POSITIONS} of ${size} keys: the ${chosen.length} that query ${this.query} looks at most`;
    if (own) {
      const away = (key: number) => Math.abs(key - this.query);
      const nearest = this.row.map((_, key) => key).sort((a, b) => away(a) - away(b) || a - b);
      chosen = [...new Set([...chosen, ...nearest])].slice(0, MOST_POSITIONS);
      says += ", and those around it";
    }
    return { places: sorted(chosen), of: size, says: `${says}; ${left(size - MOST_POSITIONS)}` };
  }

  private around(size: number): Fold | null {
    if (size <= MOST_POSITIONS) return null;
    const start = Math.min(Math.max(0, this.query - Math.floor(MOST_POSITIONS / 2)), size - MOST_POSITIONS);
    const places = Array.from({ length: MOST_POSITIONS }, (_, at) => start + at);
    const says = `${MOST_POSITIONS} of ${size} queries: those around ${this.query}`;
    return { places, of: size, says: `${says}; ${left(size - MOST_POSITIONS)}` };
  }

  private features(name: string, size: number): Fold {
    const ofValues = OF_VALUES.includes(name);
    const matters = ofValues ? this.blended() : this.products();
    const rest = largest(matters, size).filter((at) => at >= FIRST_FEATURES);
    const first = Array.from({ length: FIRST_FEATURES }, (_, at) => at);
    const most = MOST_FEATURES - FIRST_FEATURES;
    const why = ofValues
      ? `that query ${this.query} takes most of`
      : `with the largest products for query ${this.query}`;
    return {
      places: sorted([...first, ...rest.slice(0, most)]),
      of: size,
      says:
        `${MOST_FEATURES} of ${size} features: the first ${FIRST_FEATURES}, and the ${most} ${why}; ` +
        left(size - MOST_FEATURES),
    };
  }

  /** The size of query · key by feature, each key counted by its weight. */
  private products(): number[] {
    const { query, key, wide } = this.head;
    const counted = this.counted(key, wide, this.row);
    return part(query, this.query, wide).map((number, at) => Math.abs(number) * (counted[at] as number));
  }

  /** The size of weight · value by feature, summed over the keys. */
  private blended(): number[] {
    return this.counted(this.head.value, this.head.valueWide, this.row.map(Math.abs));
  }

  private counted(vectors: ArrayLike<number>, wide: number, by: number[]): number[] {
    const sums = Array.from({ length: wide }, () => 0);
    by.forEach((weight, key) => {
      for (let at = 0; at < wide; at++)
        sums[at] = (sums[at] as number) + weight * Math.abs(vectors[key * wide + at] as number);
    });
    return sums;
  }
}

function part(values: ArrayLike<number>, row: number, wide: number): number[] {
  return Array.from({ length: wide }, (_, at) => values[row * wide + at] as number);
}

/** The places of the largest numbers, the first of equal ones first. */
function largest(values: number[], count: number): number[] {
  const places = values.map((_, at) => at);
  return places.sort((a, b) => (values[b] as number) - (values[a] as number)).slice(0, count);
}

const sorted = (places: number[]) => [...places].sort((a, b) => a - b);

const left = (count: number) => `${count} more ${count === 1 ? "is" : "are"} not shown`;
