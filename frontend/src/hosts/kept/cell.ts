/** A cell of a kept picture with how it came about. */
import { visibleToken } from "../../draw/token";
import type { Unread } from "../../reading/explain";
import { parts, type Recipe } from "../../reading/recipe";
import type { CellRef, Feed, Quantity, QuantityRecipes, Recipes, Walkthrough } from "../../wire/types";
import type { Answer, Numbers } from "./content";
import { recipeAt, standing } from "./expand";

const SENTENCE = ["position", "query", "key"];
/** Axes that are called something else when a single place on them is meant. */
const CALLED: Record<string, string> = { model: "column", joined: "column" };

/** Everything about one layer: what its quantities are, and how their cells came about. */
export class KeptLayer {
  private readonly quantities: Map<string, Quantity>;

  constructor(
    private readonly picture: Walkthrough,
    private readonly values: Numbers[],
    private readonly recipes: Recipes,
    private readonly numbers: Numbers[],
  ) {
    this.quantities = new Map(picture.quantities.map((one) => [one.name, one]));
  }

  static of(picture: Answer, recipes: Answer): KeptLayer {
    return new KeptLayer(
      picture.data as Walkthrough,
      picture.buffers,
      recipes.data as Recipes,
      recipes.buffers,
    );
  }

  /** The cell, or null where there is none. */
  cell({ quantity, index }: CellRef): Unread | null {
    const about = this.quantities.get(quantity);
    const known = this.recipes.quantities[quantity];
    const flat = about === undefined ? null : flatPlace(about.shape, index);
    if (about === undefined || known === undefined || flat === null) return null;
    const value = this.value(about, flat);
    const recipe = this.recipe(known, index, flat, value);
    return {
      quantity,
      index,
      place: about.axes.map((axis, at) => this.onAxis(axis, index[at] as number)).join(", "),
      value,
      recipe,
      labels: recipe.kind === "sum" ? recipe.terms.map((term, at) => this.label(term, recipe.over, at)) : [],
      most: null,
      formula: about.formula,
      formulaText: known.formula,
      latex: known.latex as [string, string],
      note: this.note(known, flat),
      feeds: known.feeds.flatMap((feed) => this.feed(feed, index, flat)),
    };
  }

  private value(about: Quantity, flat: number): number {
    return (this.values[about.values] as Numbers)[flat] as number;
  }

  private recipe(known: QuantityRecipes, index: number[], flat: number, value: number): Recipe {
    if (known.recipes === null) return { kind: "number", value };
    return recipeAt(known.recipes, this.numbers, index, flat, (slot, place) => {
      const name = known.inputs[slot] as string;
      const about = this.quantities.get(name) as Quantity;
      return { quantity: name, index: place, value: this.value(about, flatPlace(about.shape, place) ?? 0) };
    });
  }

  private note(known: QuantityRecipes, flat: number): string {
    const which = known.noted === undefined ? 0 : ((this.numbers[known.noted] as Numbers)[flat] as number);
    return which === 0 ? "" : (known.notes?.[which - 1] ?? "");
  }

  private feed(known: QuantityRecipes["feeds"][number], index: number[], flat: number): Feed[] {
    const { shape, ints } = standing(known, this.numbers, index, flat);
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
    if (axis === "vocabulary") return this.picture.vocabulary[number];
    return SENTENCE.includes(axis) ? this.picture.tokens[number] : undefined;
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
