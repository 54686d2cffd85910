import { h } from "../../draw/dom";
import { createMatrix, type Matrix } from "../../draw/matrix";
import type { MatrixModel } from "../../draw/matrix-model";
import type { Digits } from "../../draw/numbers";
import { createScatter, type Scatter } from "../../draw/scatter";
import { spokenToken } from "../../draw/token";
import type { Training } from "../../wire/types";

/** The numbers of a training, at hand. */
export interface TrainingNumbers {
  data: Training;
  losses: Float64Array;
  points: Float64Array;
  cosines: Float64Array;
}

export interface WordPictures {
  element: HTMLElement;
  /** The words as they stand at the place `at` in `recorded`; those of the sentence are drawn in full. */
  update(numbers: TrainingNumbers, at: number, sentence: readonly string[], digits: Digits): void;
}

/** A table of more words than this is no table any more; then it holds the words of the sentence. */
const MOST_WORDS = 24;

/** Where the words stand in relation to each other: as points, and as the cosines of their vectors. */
export function wordPictures(): WordPictures {
  let scatter: Scatter | null = null;
  let table: Matrix | null = null;
  const explained = h("p", { class: "hint" });
  const points = h("div", null, h("h3", null, "The words as points"), explained);
  const cosines = h("div", { class: "matrices" });
  const element = h("div", { class: "word-pictures" }, points, cosines);

  return {
    element,
    update(numbers, at, sentence, digits) {
      const { data } = numbers;
      const shares = data.explained.map((share) => `${Math.round(share * 100)}%`);
      explained.textContent =
        `Each word's row of E, seen from the side from which the rows finally spread most: the two directions hold ` +
        `${shares.join(" and ")} of that spread. The line is the way each word has come.` +
        (data.words.length > MOST_WORDS
          ? " The words of the sentence are named, and others where there is room."
          : "");
      const model = {
        label: `${data.words.length} words as points after step ${data.recorded[at] ?? 0}: ${data.words
          .map(spokenToken)
          .join(", ")}. The table of cosines says how near they are.`,
        words: data.words,
        points: numbers.points,
        at,
        strong: new Set(sentence),
        axes: [`first direction, ${shares[0] ?? ""}`, `second direction, ${shares[1] ?? ""}`] as [
          string,
          string,
        ],
      };
      if (scatter) scatter.update(model);
      else {
        scatter = createScatter(model);
        points.append(scatter.element);
      }
      const similar = cosineModel(numbers, at, sentence, digits);
      if (table) table.update(similar);
      else {
        table = createMatrix(similar, { open: () => undefined });
        cosines.append(table.element);
      }
    },
  };
}

/** The cosines at one moment as a matrix: of all words, or of those of the sentence where there are many. */
export function cosineModel(
  { data, cosines }: TrainingNumbers,
  at: number,
  sentence: readonly string[],
  digits: Digits,
): MatrixModel {
  const { words } = data;
  const all = words.map((_, i) => i);
  const shown = words.length <= MOST_WORDS ? all : all.filter((i) => sentence.includes(words[i] as string));
  const labels = shown.map((i) => words[i] as string);
  const start = at * words.length ** 2;
  const axis = { axis: "vocabulary", kind: "word" as const, labels };
  return {
    key: "training/cosines/all",
    name: "cosines",
    says: `1: two rows of E point the same way; 0: nothing in common; −1: opposite ways. After step ${
      data.recorded[at] ?? 0
    }.`,
    shape: `${shown.length} × ${shown.length}`,
    rows: axis,
    columns: { ...axis },
    values: Float64Array.from(
      shown.flatMap((row) => shown.map((column) => cosines[start + row * words.length + column] ?? 0)),
    ),
    scale: "signed",
    editable: false,
    digits,
    showDifference: false,
  };
}
