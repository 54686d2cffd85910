import { bare } from "../../draw/layers";
import { type Digits, plainNumber } from "../../draw/numbers";
import { visibleToken } from "../../draw/token";
import { type Grid, type Label, latexProse, latexTable, markdownTable } from "../../reading/table";
import type { Picture } from "../../state/picture";
import { type Figure, numbersOf, wordsAlong } from "./figure";

/** What a matrix can be copied as: bare numbers in full, or a table as the page shows it. */
export type Form = "numbers" | "Markdown" | "LaTeX";

export const FORMS: readonly Form[] = ["numbers", "Markdown", "LaTeX"];

/** A matrix as text; `digits` are those of a table. */
export function written(figure: Figure, picture: Picture, form: Form, digits: Digits): string {
  if (form === "numbers") return asTable(figure, picture);
  const grid = gridOf(figure, picture);
  return form === "LaTeX" ? latexTable(grid, digits) : markdownTable(grid, digits);
}

/** The matrix with what its rows and columns are. */
export function gridOf(figure: Figure, picture: Picture): Grid {
  const first = figure.sources[0];
  const about = first && picture.quantities.get(first.quantity)?.about;
  if (!first || !about) throw new RangeError(`${figure.key} has no numbers.`);
  const { rows, columns } = figure;
  const { values, forbidden } = numbersOf(figure, picture);
  // Rows of several matrices side by side stand on no axis, and have names of their own.
  const compared = rows.axis === "" && rows.labels[0] !== "";
  const before = first.prefix.slice(0, Math.max(0, about.axes.length - 2));
  const label = (axis: string, number: number): Label => {
    const word = wordsAlong(axis, picture)[number];
    return { number, word: word === undefined ? null : visibleToken(word) };
  };
  return {
    name: compared ? figure.name : about.name,
    latex: bare(about.name) === figure.name ? about.latex : `\\text{${latexProse(figure.name)}}`,
    of: compared ? [figure.shape] : before.map((place, axis) => `${about.axes[axis]} ${place}`),
    axes: [rows.axis, columns.axis],
    rows: figure.sources.map(({ prefix }, at) =>
      compared ? { number: null, word: rows.labels[at] ?? "" } : label(rows.axis, prefix.at(-1) ?? 0),
    ),
    columns: columns.labels.map((_, at) => label(columns.axis, figure.places?.[at] ?? at)),
    values,
    masked: forbidden,
  };
}

/** A matrix as other programs read it: full values, tab-separated, one line per row, ASCII signs. */
export function asTable(figure: Figure, picture: Picture): string {
  const { values } = numbersOf(figure, picture);
  const width = figure.columns.labels.length;
  return figure.sources
    .map((_, row) => [...values.subarray(row * width, (row + 1) * width)].map(plainNumber).join("\t"))
    .join("\n");
}

/** Puts text on the clipboard; false where the browser does not allow it. */
export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Offers `bytes` as a file to keep. */
export function download(filename: string, mediaType: string, bytes: BlobPart): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: mediaType }));
  const link = document.createElement("a");
  link.href = url;
  link.download = filename;
  link.click();
  // The download has its own reference by the next task; the page needs none.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
