/** A matrix as a table for a paper or a page (`clearhead/trace/notation/tables.py`): the same text, to the character. */
import { type Digits, formatNumber } from "../draw/numbers";
import { LATEX, MARKDOWN } from "../wire/prose";
import { number } from "./latex";

/**
 * One place along an axis: its number and, where it has one, its word, with what nobody can see made visible. A row that is
 * no place on an axis, of a comparison, has a word alone.
 */
export interface Label {
  number: number | null;
  word: string | null;
}

export interface Grid {
  name: string;
  /** The name in LaTeX. */
  latex: string;
  /** Which matrix it is, where the quantity has several: "head 1". */
  of: string[];
  /** What rows and columns count; "" where there is but one. */
  axes: [rows: string, columns: string];
  rows: Label[];
  columns: Label[];
  /** Row by row. */
  values: ArrayLike<number>;
  /** 1 where a cell is masked: a 0 there is written as that word, as it is no weight of 0. */
  masked?: ArrayLike<number>;
}

/** A pipe table. */
export function markdownTable(grid: Grid, digits: Digits): string {
  const title = markdownProse(grid.name) + which(grid);
  const ways = waysOf(grid, "↓", "→").join(" ");
  const corner = ways ? `${title}: ${ways}` : title;
  const label = labelling(markdownProse);
  const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [
    row([corner, ...(grid.axes[1] ? grid.columns.map(label) : [""])]),
    row(["---", ...grid.columns.map(() => "--:")]),
    ...grid.rows.map((one, at) =>
      row([rowOf(grid, one, label), ...cellsOf(grid, at, (value) => formatNumber(value, digits))]),
    ),
  ].join("\n");
}

/** A `tabular`; it needs the package amsmath. */
export function latexTable(grid: Grid, digits: Digits): string {
  const width = grid.columns.length;
  const corner = waysOf(grid, "$\\downarrow$", "$\\rightarrow$").join("\\ ");
  const label = labelling(latexProse);
  const row = (cells: string[]) => `${cells.join(" & ")} \\\\`;
  return [
    `\\begin{tabular}{r|${"r".repeat(width)}}`,
    `\\multicolumn{${width + 1}}{l}{$${grid.latex}$${which(grid)}} \\\\`,
    ...(grid.axes[1] ? [row([corner, ...grid.columns.map(label)])] : []),
    "\\hline",
    ...grid.rows.map((one, at) =>
      row([
        rowOf(grid, one, label),
        ...cellsOf(grid, at, (value) => `$${number(formatNumber(value, digits))}$`),
      ]),
    ),
    "\\end{tabular}",
  ].join("\n");
}

const which = ({ of }: Grid) => of.map((one) => `, ${one}`).join("");

function waysOf({ axes: [rows, columns] }: Grid, down: string, across: string): string[] {
  return [rows && `${rows} ${down}`, columns && `${columns} ${across}`].filter((way) => way !== "");
}

function cellsOf({ values, masked, columns }: Grid, row: number, written: (value: number) => string) {
  return columns.map((_, column) => {
    const at = row * columns.length + column;
    const value = values[at] as number;
    return masked?.[at] && value === 0 ? "masked" : written(value);
  });
}

function labelling(prose: (text: string) => string) {
  return ({ number, word }: Label) =>
    [number === null ? "" : String(number), word === null ? "" : prose(word)].filter(Boolean).join(" ");
}

/** What a row is called; the only one of a vector has no name. */
function rowOf({ axes }: Grid, row: Label, label: (one: Label) => string): string {
  return axes[0] !== "" || row.number === null ? label(row) : "";
}

export function latexProse(text: string): string {
  return Array.from(text, (sign) => LATEX[sign.codePointAt(0) as number] ?? sign).join("");
}

function markdownProse(text: string): string {
  return Array.from(text, (sign) => (MARKDOWN.includes(sign) ? `\\${sign}` : sign)).join("");
}
