/** One cell, read: from its recipe to all that the panel of arithmetic shows, speaks and copies. */
import { type Digits, formatNumber } from "../draw/numbers";
import type { CellRef, Explanation, Feed, MathML, More, Term } from "../wire/types";
import { workedLatex } from "./latex";
import { cellLabel, type Line, read } from "./read";
import { evaluate, parts, type Recipe } from "./recipe";
import { bySize, restOf, shortened } from "./shorten";
import { workedText } from "./text";

/** A cell with how it came about, before any of it is written. */
export interface Unread {
  quantity: string;
  index: number[];
  /** Where it stands, in words. */
  place: string;
  value: number;
  recipe: Recipe;
  /** What each term of a sum is called: "feature 0", "key 2 “cat”". */
  labels: string[];
  /** Sums of more terms are sorted by size, and only so many written; null: all, as they come. */
  most: number | null;
  formula: MathML | null;
  formulaText: string;
  /** What LaTeX has before and after the indices of a cell. */
  latex: [before: string, after: string];
  note: string;
  feeds: Feed[];
}

/** The explanation of a cell, its numbers written with so many digits. */
export function explanation(cell: Unread, digits: Digits): Explanation {
  const { quantity, index, value, most } = cell;
  const cut = most === null ? { recipe: cell.recipe, rests: [] } : shortened(cell.recipe, most);
  const lines = read(cut.recipe, value, digits);
  const note = [cell.note, restNote(cut.rests)].filter((part) => part !== "").join("; ");
  const label = cellLabel(quantity, index);
  const text = workedText(label, cell.formulaText, lines, note);
  const terms = termsOf(cell, digits);
  const view: Explanation = {
    kind: "explanation",
    quantity,
    index,
    label,
    place: cell.place,
    value: formatNumber(value, digits),
    full: formatNumber(value, "full"),
    formula: cell.formula,
    terms,
    lines: lines.map(({ relation, tree }) => ({ relation, arithmetic: tree as never })),
    sources: sourcesOf(cell.recipe),
    feeds: cell.feeds,
    spoken: "",
    text,
    latex: workedLatex(index.length === 0 ? cell.latex[0] : cell.latex.join(index.join(",")), lines),
  };
  if (note !== "") view.note = note;
  if (terms.length > 0) {
    const relation = terms.length > 1 ? lastOf(lines).relation : "="; // one term alone is the total
    view.total = { relation, text: view.value };
  }
  const more = moreOf(cell, digits);
  if (more) view.more = more;
  view.spoken = spoken(view, cell);
  return view;
}

function lastOf<T>(list: T[]): T {
  return list[list.length - 1] as T;
}

function restNote(rests: string[]): string {
  if (rests.length === 0) return "";
  return `only the largest terms are written; the last number is what the others come to: ${rests.join(", ")}`;
}

/** The rows of the multiply-then-sum table, in the order of the sum or, if there are many, by size. */
function termsOf({ recipe, labels, most }: Unread, digits: Digits): Term[] {
  if (recipe.kind !== "sum") return [];
  const values = recipe.terms.map(evaluate);
  const many = most !== null && values.length > most;
  const order = many ? bySize(values) : values.map((_, at) => at);
  return order.map((at) => {
    const value = values[at] as number;
    const lines = read(recipe.terms[at] as Recipe, value, digits);
    return {
      label: labels[at] ?? "",
      arithmetic: (lines[0] as Line).tree as never,
      relation: lastOf(lines).relation,
      value: formatNumber(value, digits),
    };
  });
}

function moreOf({ recipe, most }: Unread, digits: Digits): More | null {
  if (most === null || recipe.kind !== "sum" || recipe.terms.length <= most) return null;
  const { count, zeros, value } = restOf(recipe.terms.map(evaluate), most);
  return { first: most, count, zeros, text: formatNumber(value, digits) };
}

/** The cells in the arithmetic, each once. */
function sourcesOf(recipe: Recipe): CellRef[] {
  const found = new Map<string, CellRef>();
  const walk = (node: Recipe): void => {
    if (node.kind === "cell")
      found.set(cellLabel(node.quantity, node.index), { quantity: node.quantity, index: node.index });
    for (const part of parts<Recipe>(node)) walk(part);
  };
  walk(recipe);
  return [...found.values()];
}

/** One sentence that says the cell and its arithmetic. */
function spoken(view: Explanation, cell: Unread): string {
  const name = [view.quantity, view.place].filter((part) => part !== "").join(", ");
  if (view.lines.length === 1) return `${name}: ${view.value}, ${origin(view)}.`;
  const rows = view.text.split("\n"); // the general formula, then the arithmetic
  const row = rows[cell.formulaText === "" ? 0 : 1] ?? "";
  const worked = row.slice(view.label.length).replace(/^[ =≈]+|[ =≈]+$/g, "");
  return `${name}: ${worked} ${lastOf(view.lines).relation} ${view.value}.`;
}

/** Where a number comes from that no arithmetic was done on. */
function origin(view: Explanation): string {
  if (view.note) return view.note;
  const [source] = view.sources;
  if (source) return `taken from ${cellLabel(source.quantity, source.index)}`;
  return view.formula === null ? "as given" : "a constant";
}
