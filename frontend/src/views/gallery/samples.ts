/** Small numbers chosen by hand for the gallery. They are samples and belong to no computation. */
import type { AxisLabels, MatrixModel } from "../../draw/matrix";

export const SENTENCE = ["the", "dog", "chased", "the", "cat"];

export const position = (axis: string, labels = SENTENCE): AxisLabels => ({ axis, kind: "position", labels });
export const indices = (axis: string, count: number): AxisLabels => ({
  axis,
  kind: "index",
  labels: Array.from({ length: count }, (_, i) => String(i)),
});

const SCORES = [
  [0.4, -0.25, 1.1, 0.4, 0.05],
  [-0.6, 1.35, 0.7, -0.6, -1.2],
  [0.15, 2.4, 0, 0.15, 1.9],
  [0.4, -0.25, 1.1, 0.4, 0.0031],
  [-0.6, -1.05, 0.85, -0.6, 1.5],
];

const WEIGHTS = [
  [0.2, 0.1, 0.4, 0.2, 0.1],
  [0.06, 0.5, 0.3, 0.06, 0.08],
  [0.05, 0.55, 0.04, 0.05, 0.31],
  [0.2, 0.1, 0.4, 0.2, 0.1],
  [0.07, 0.05, 0.28, 0.07, 0.53],
];

const CAUSAL_WEIGHTS = [
  [1, 0, 0, 0, 0],
  [0.12, 0.88, 0, 0, 0],
  [0.09, 0.84, 0.07, 0, 0],
  [0.22, 0.12, 0.44, 0.22, 0],
  [0.07, 0.05, 0.28, 0.07, 0.53],
];

export const flat = (rows: number[][]): Float64Array => Float64Array.from(rows.flat());
const above = (row: number, column: number) => column > row;

/** 1 over every key that comes after its query. */
export const FUTURE = Uint8Array.from(
  SENTENCE.flatMap((_, r) => SENTENCE.map((__, c) => (above(r, c) ? 1 : 0))),
);

const masked = (fill: number) => SCORES.map((row, r) => row.map((value, c) => (above(r, c) ? fill : value)));

/** A model of scores, with whatever a state needs changed. */
export function scores(key: string, change: Partial<MatrixModel> = {}): MatrixModel {
  return {
    key,
    name: "scores",
    made: "Q · K^T",
    says: "how well each query matches each key",
    shape: "head 0 · 5 × 5",
    rows: position("query"),
    columns: position("key"),
    values: flat(SCORES),
    scale: "signed",
    editable: false,
    digits: 2,
    showDifference: false,
    ...change,
  };
}

export function weights(key: string, change: Partial<MatrixModel> = {}): MatrixModel {
  const says = "how much each query takes from each key; every row sums to 1";
  const made = "softmax(masked)";
  return scores(key, { name: "weights", made, says, values: flat(WEIGHTS), scale: "weights", ...change });
}

export const maskedScores = (key: string, fill: number): MatrixModel =>
  scores(key, {
    name: "masked",
    made: "mask(scores)",
    says: "scores, with the keys a query may not see taken out",
    values: flat(masked(fill)),
    forbidden: FUTURE,
  });

export const maskedWeights = (key: string): MatrixModel =>
  weights(key, { values: flat(CAUSAL_WEIGHTS), forbidden: FUTURE });

/** What one changed entry does to the row and the column it is in. */
export const DIFFERENCE = flat([
  [0, 0.12, 0, 0, 0],
  [0, 0.3, 0, 0, 0],
  [-0.2, 1.15, -0.05, -0.2, 0.004],
  [0, 0.12, 0, 0, 0],
  [0, -0.45, 0, 0, 0],
]);

export function embeddingTable(key: string, change: Partial<MatrixModel> = {}): MatrixModel {
  return {
    key,
    name: "E",
    says: "one row for each word, the numbers a word starts with",
    shape: "4 × 4",
    rows: { axis: "vocabulary", kind: "word", labels: ["the", "dog", "chased", "cat"] },
    columns: indices("model", 4),
    values: flat([
      [0.1, 0, -0.2, 0.1],
      [1.2, 0.3, 0, -0.4],
      [-0.5, 1.5, 0.8, 0],
      [0.9, -0.7, 0.25, 1],
    ]),
    scale: "signed",
    editable: true,
    digits: 2,
    showDifference: false,
    ...change,
  };
}
