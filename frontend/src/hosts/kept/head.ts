/** One head of a capture that was kept: everything follows from its queries, keys and values by their recipes. */
import type { HeadWalk, Quantity, Recipes, Reply, Head as Told } from "../../wire/types";
import { Cells } from "./cell";
import type { Answer, Numbers } from "./content";
import { evaluated } from "./evaluate";
import { Folds } from "./fold";

/** Terms of a long sum that are written (`clearhead/trace/shortened.py`). */
const MOST_TERMS = 16;

/** The fields of a quantity that name a buffer of its shape. */
const BUFFERS = ["values", "forbidden"] as const;

export class KeptHead {
  readonly cells: Cells;
  private readonly walkData: HeadWalk;
  private readonly known = new Map<string, Numbers>();

  constructor(
    private readonly told: Told,
    private readonly shares: Numbers | undefined,
    private readonly walkAnswer: Answer,
    private readonly recipes: Answer,
  ) {
    this.walkData = walkAnswer.data as HeadWalk;
    const { queries, keys, quantities } = this.walkData;
    const words = { tokens: queries, vocabulary: [], ...(this.own ? {} : { keys }) };
    const how = recipes.data as Recipes;
    this.cells = new Cells(words, quantities, (one) => this.values(one), how, recipes.buffers, MOST_TERMS);
  }

  /** The weights that blend the values: those set by hand among them. */
  get weights(): Float64Array {
    const found = this.quantity("changed") ?? this.quantity("weights");
    return this.values(found as Quantity) as Float64Array;
  }

  /** The row that is looked at where none is named: the last that is not padding. */
  get lastQuery(): number {
    const { queries } = this.told;
    const last = queries.map(({ padding }) => padding === true).lastIndexOf(false);
    return last < 0 ? queries.length - 1 : last;
  }

  /** The walkthrough, folded around one query. */
  walk(query: number): Reply {
    const folds = new Folds(this.deciding(), query);
    const buffers: Numbers[] = [];
    const quantities = this.walkData.quantities.map((one) => {
      const found = folds.of(one);
      const places = one.shape.map(
        (size, axis) => found[axis]?.places ?? Array.from({ length: size }, (_, at) => at),
      );
      const cut: Quantity = { ...one, shape: places.map((part) => part.length) };
      for (const field of BUFFERS) {
        if (one[field] === undefined) continue;
        const whole =
          field === "values" ? this.values(one) : (this.walkAnswer.buffers[one[field]] as Numbers);
        cut[field] = buffers.push(taken(whole, one.shape, places)) - 1;
      }
      return found.some((fold) => fold !== null) ? { ...cut, folds: found } : cut;
    });
    return { data: { ...this.walkData, query, quantities, notices: this.notices(query) }, buffers };
  }

  private get own(): boolean {
    return this.told.rows === this.told.columns;
  }

  private quantity(name: string): Quantity | undefined {
    return this.walkData.quantities.find((one) => one.name === name);
  }

  /** All numbers of a quantity: those that were kept, or those that its recipes give. */
  private values(one: Quantity): Numbers {
    const known = this.known.get(one.name);
    if (known) return known;
    const found = one.values >= 0 ? (this.walkAnswer.buffers[one.values] as Numbers) : this.made(one);
    this.known.set(one.name, found);
    return found;
  }

  private made({ name, shape }: Quantity): Float64Array {
    const how = (this.recipes.data as Recipes).quantities[name];
    if (!how?.recipes) throw new Error(`This page keeps neither the numbers of ${name} nor their recipes.`);
    const inputs = how.inputs.map((input) => {
      const about = this.quantity(input) as Quantity;
      return { values: this.values(about), shape: about.shape };
    });
    return evaluated(how.recipes, this.recipes.buffers, shape, inputs);
  }

  private deciding() {
    const [query, key, value] = ["Q", "K", "V"].map((name) => this.quantity(name) as Quantity) as [
      Quantity,
      Quantity,
      Quantity,
    ];
    return {
      weights: this.values(this.quantity("weights") as Quantity),
      query: this.values(query),
      key: this.values(key),
      value: this.values(value),
      keys: key.shape[0] as number,
      wide: key.shape[1] as number,
      valueWide: value.shape[1] as number,
      own: this.own,
    };
  }

  private notices(query: number): string[] {
    const share = this.shares?.[query];
    const takes = (share ?? 0) * 100;
    const said =
      share === undefined ? [] : [`Of the row of query ${query} the sink takes ${takes.toFixed(1)}%.`];
    return [...this.told.facts, ...said, ...this.walkData.notices];
  }
}

/** The numbers of some places along each axis. */
function taken(values: Numbers, shape: number[], places: number[][]): Numbers {
  const count = places.reduce((product, part) => product * part.length, 1);
  const made = values instanceof Uint8Array ? new Uint8Array(count) : new Float64Array(count);
  let at = 0;
  const fill = (axis: number, flat: number) => {
    if (axis === shape.length) made[at++] = values[flat] as number;
    else for (const place of places[axis] as number[]) fill(axis + 1, flat * (shape[axis] as number) + place);
  };
  fill(0, 0);
  return made;
}
