import { same } from "../../state/page";
import type { Picture } from "../../state/picture";
import type { State } from "../../wire/types";
import type { Figure } from "./figure";

/**
 * The numbers that a person gave and `picture` was not computed with, by their place in the drawn figure: single entries,
 * and whole rows of E. Undefined where there are none.
 */
export function pendingNumbers(
  figure: Figure,
  picture: Picture,
  given: State,
): Map<number, number> | undefined {
  if (!figure.editable || given.example !== picture.state.example) return undefined;
  const width = figure.columns.labels.length;
  const found = new Map<number, number>();
  figure.sources.forEach(({ quantity, prefix }, at) => {
    const [index] = prefix;
    const isVector = index === undefined;
    const key = quantity === "E" ? picture.data.vocabulary[index ?? 0] : index;
    const put = (column: number, value: number) => column < width && found.set(at * width + column, value);
    const row = quantity === "E" && key !== undefined ? own(given.rows, String(key)) : undefined;
    if (row && !same(row, own(picture.state.rows, String(key))))
      row.forEach((value, column) => {
        put(column, value);
      });
    for (const edit of given.edits ?? []) {
      const here = edit.matrix === quantity && (isVector || edit.row === key);
      const known = picture.state.edits?.some((other) => same(other, edit));
      // The entries of a vector count as rows.
      if (here && !known) put(isVector ? Number(edit.row) : edit.column, edit.value);
    }
  });
  return found.size > 0 ? found : undefined;
}

function own(rows: State["rows"], word: string): number[] | undefined {
  return rows && Object.hasOwn(rows, word) ? rows[word] : undefined;
}
