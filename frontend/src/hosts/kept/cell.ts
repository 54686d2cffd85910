/** A cell of a kept picture with how it came about. */
import { visibleToken } from "../../draw/token";
import type { Unread } from "../../reading/explain";
import { parts, type Recipe } from "../../reading/recipe";
import type { CellRef, Feed, Quantity, QuantityRecipes, Recipes, Walkthrough } from "../../wire/types";
import type { Answer, Numbers } from "./content";
import { type Cell, recipeAt, standing } from "./expand";

const SENTENCE = ["position", "query", "key"];
/** Axes that are called something else when a single place on them is meant. */
const CALLED: Record<string, string> = { model: "column", joined: "column" };

/** What the places along axes are called. */
export interface Words {
  tokens: string[];
  /** What keys are called, where that is another text. */
  keys?: string[];
  vocabulary: string[];
}

/** Quantities that belong together: what they are, their numbers, and how their cells came about. */
export class Cells {
  private readonly quantities: Map<string, Quantity>;

  /** `most`: how many terms of a long sum are written, null for all. */
  constructor(
    private readonly words: Words,
    quantities: Quantity[],
    private readonly values: (quantity: Quantity) => Numbers,
    private readonly recipes: Recipes,
    private readonly numbers: Numbers[],
    private readonly most: number | null,
  ) {
    this.quantities = new Map(quantities.map((one) => [one.name, one]));
  }

  /** Those of one layer of a worked example. */
  static ofLayer(picture: Answer, recipes: Answer): Cells {
    const data = picture.data as Walkthrough;
    const values = (one: Quantity) => picture.buffers[one.values] as Numbers;
    return new Cells(data, data.quantities, values, recipes.data as Recipes, recipes.buffers, null);
  }

  /** The cell, or null where there is none. */
  cell({ quantity, index }: CellRef): Unread | null {
    const about = this.quantities.get(quantity);
    const known = this.recipes.quantities[quantity];
    const flat = about === undefined ? null : flatPlace(about.shape, index);
    if (about === undefined || known === undefined || flat === null) return null;
    const cell = { index, flat, shape: about.shape };
    const value = this.values(about)[flat] as number;
    const recipe = this.recipe(known, cell, value);
    return {
      quantity,
      index,
      place: about.axes.map((axis, at) => this.onAxis(axis, index[at] as number)).join(", "),
      value,
      recipe,
      labels: recipe.kind === "sum" ? recipe.terms.map((term, at) => this.label(term, recipe.over, at)) : [],
      most: this.most,
      formula: about.formula,
      formulaText: known.formula,
      latex: known.latex as [string, string],
      note: known.notes === undefined ? "" : this.note(known.notes, cell),
      feeds: known.feeds.flatMap((feed) => this.feed(feed, cell)),
    };
  }

  private recipe(known: QuantityRecipes, cell: Cell, value: number): Recipe {
    if (known.recipes === null) return { kind: "number", value };
    return recipeAt(known.recipes, this.numbers, cell, (slot, place) => {
      const name = known.inputs[slot] as string;
      const about = this.quantities.get(name) as Quantity;
      const values = this.values(about);
      return { quantity: name, index: place, value: values[flatPlace(about.shape, place) ?? 0] as number };
    });
  }

  private note(notes: NonNullable<QuantityRecipes["notes"]>, cell: Cell): string {
    const { shape, ints } = standing(notes, this.numbers, cell);
    return (shape as string[]).map((piece, at) => piece + (ints[at] ?? "")).join("");
  }

  private feed(known: QuantityRecipes["feeds"][number], cell: Cell): Feed[] {
    const { shape, ints } = standing(known, this.numbers, cell);
    let taken = 0;
    const cells = (shape as string[][]).map((axes) =>
      axes.map((axis) => (axis === "every" ? null : (ints[taken++] as number))),
    );
    return cells.length === 0 ? [] : [{ quantity: known.quantity, cells }];
  }

  /** What a term is: "feature 0", "key 2 “cat”", or the quantity it comes from. */
  private label(term: Recipe, over: string | undefined, number: number): string {
    const cells = cellsIn(term);
    if (over === undefined) return cells[0]?.quantity ?? "";
    const places = new Map<string, number>();
    for (const { quantity, index } of cells)
      for (const [at, axis] of (this.quantities.get(quantity)?.axes ?? []).entries())
        places.set(axis, index[at] as number);
    return over
      .split(" and ")
      .map((axis) => this.counted(axis, places.get(axis) ?? number))
      .join(", ");
  }

  private counted(axis: string, number: number): string {
    const word = this.word(axis, number);
    return word === undefined ? `${axis} ${number}` : `${axis} ${number} “${visibleToken(word)}”`;
  }

  private onAxis(axis: string, number: number): string {
    const word = this.word(axis, number);
    if (word !== undefined && axis === "vocabulary") return `row “${visibleToken(word)}”`;
    return word === undefined ? `${CALLED[axis] ?? axis} ${number}` : this.counted(axis, number);
  }

  private word(axis: string, number: number): string | undefined {
    if (axis === "vocabulary") return this.words.vocabulary[number];
    if (axis === "key" && this.words.keys) return this.words.keys[number];
    return SENTENCE.includes(axis) ? this.words.tokens[number] : undefined;
  }
}

type CellNode = Extract<Recipe, { kind: "cell" }>;

function cellsIn(node: Recipe): CellNode[] {
  return node.kind === "cell" ? [node] : parts<Recipe>(node).flatMap(cellsIn);
}

/** Where a cell lies among all of its array, in reading order; null where there is none such. */
export function flatPlace(shape: number[], index: number[]): number | null {
  if (shape.length !== index.length) return null;
  let flat = 0;
  for (const [axis, at] of index.entries()) {
    const size = shape[axis] as number;
    if (!Number.isInteger(at) || at < 0 || at >= size) return null;
    flat = flat * size + at;
  }
  return flat;
}
