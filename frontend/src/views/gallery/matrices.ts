/** Every state of a matrix. */
import { h } from "../../draw/dom";
import { marksLegend, positionsLegend, signedLegend, weightsLegend } from "../../draw/legend";
import { createMatrix, type LightRole, type Matrix, type MatrixModel } from "../../draw/matrix";
import * as sample from "./samples";
import { exhibit, section } from "./section";

/** Edits stay in the exhibit: the number is changed and marked, nothing is recomputed. */
function live(model: MatrixModel): Matrix {
  let shown = model;
  const matrix: Matrix = createMatrix(model, {
    open: (row, column) => matrix.light("opened", [[row, column]]),
    edit: (row, column, value) => {
      const at = row * shown.columns.labels.length + column;
      const values = shown.values.slice();
      values[at] = value;
      shown = { ...shown, values, difference: values.map((v, i) => v - (model.values[i] as number)) };
      matrix.update(shown);
    },
  });
  return matrix;
}

function state(name: string, model: MatrixModel): HTMLElement {
  return exhibit(name, live(model).element);
}

const row = (...exhibits: HTMLElement[]) => h("div", { class: "matrices" }, exhibits);

export function matrixStates(): HTMLElement {
  return section(
    "matrices",
    "Matrices",
    "Always a caption, both axes by name, and one tile for each number; the state is in the marks.",
    row(
      state("signed numbers", sample.scores("signed")),
      state("weights", sample.weights("weights")),
      state("masked with −∞", sample.maskedScores("masked-inf", -Infinity)),
      state("masked with 0", sample.maskedScores("masked-zero", 0)),
      state("masked weights", sample.maskedWeights("masked-weights")),
      state("changed", sample.scores("changed", { difference: sample.DIFFERENCE })),
      state(
        "changed, with the difference",
        sample.scores("difference", { difference: sample.DIFFERENCE, showDifference: true }),
      ),
      state(
        "of another shape than before",
        sample.embeddingTable("reshaped", { reshaped: true, editable: false }),
      ),
      state(
        "full precision",
        sample.weights("full", {
          digits: "full",
          values: sample.flat([
            [1 / 3, 0.1 + 0.2, 0.125, 0, 0.2],
            [0.2, 0.2, 0.2, 0.2, 0.2],
          ]),
          rows: sample.position("query", ["the", "dog"]),
          shape: "head 0 · 2 × 5",
        }),
      ),
    ),
    h(
      "div",
      { class: "legends" },
      signedLegend(2.4),
      weightsLegend(),
      marksLegend(),
      positionsLegend(sample.SENTENCE),
    ),
  );
}

/** Opens a cell and lights the others, as the walkthrough does. */
export function litStates(): HTMLElement {
  const scores = live(sample.scores("lit-scores"));
  const queries = live(
    sample.embeddingTable("lit-q", {
      name: "Q",
      says: "what each word looks for",
      shape: "head 0 · 5 × 3",
      rows: sample.position("query"),
      columns: sample.indices("feature", 3),
      editable: false,
      values: sample.flat([
        [0.1, 0.4, 0],
        [0.6, -0.2, 0.3],
        [0.5, 1.5, -0.3],
        [0.1, 0.4, 0],
        [-0.4, 0.9, 0.2],
      ]),
    }),
  );
  const weights = live(sample.weights("lit-weights"));
  const light = (matrix: Matrix, role: LightRole, cells: [number, number][]) => matrix.light(role, cells);
  light(scores, "opened", [[2, 1]]);
  light(queries, "source", [
    [2, 0],
    [2, 1],
    [2, 2],
  ]);
  light(
    weights,
    "feeds",
    sample.SENTENCE.map((_, column) => [2, column]),
  );
  return section(
    "lit",
    "Lit cells",
    "A heavy frame is the open cell, a light frame is where it came from, a dashed frame is where it goes. The frames are ink, so none depends on colour.",
    row(
      exhibit("it came from", queries.element),
      exhibit("open", scores.element),
      exhibit("it goes into", weights.element),
    ),
  );
}

export function editStates(): HTMLElement {
  const editing = live(sample.embeddingTable("editing"));
  const wrong = live(sample.embeddingTable("wrong"));
  return section(
    "editing",
    "Editing",
    "F2, a double click or typing a digit opens the field; Enter keeps the number, Escape drops it. Text that is no number stays, with one sentence.",
    row(
      exhibit(
        "editable",
        live(sample.embeddingTable("editable", { actions: [{ label: "copy", run: () => undefined }] }))
          .element,
      ),
      exhibit("editing", editing.element),
      exhibit("not a number", wrong.element),
      exhibit(
        "not computed yet",
        live(sample.embeddingTable("pending", { pending: new Map([[5, 1e308]]) })).element,
      ),
    ),
  );
}

/** Types into the two exhibits; only once they are on the page can a field be open. */
export function startEditing(root: HTMLElement): void {
  const input = type(root, "wrong", "1,25");
  input?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  type(root, "editing", "1.25");
}

function type(root: HTMLElement, key: string, text: string): HTMLInputElement | null {
  const cell = root.querySelector(`[data-key="${key}"] tbody tr:nth-child(2) td:nth-child(3)`);
  cell?.dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  const input = cell?.querySelector("input") ?? null;
  if (input) input.value = text;
  return input;
}

const ODD = ["<b>x</b>", " ", "Donaudampfschifffahrtsgesellschaft", "שלום", "注意力", "a\nb", "&amp;"];
const LONG = "one small step for a man and one giant leap for all of mankind and".split(" ");

export function oddStates(): HTMLElement {
  const wave = (rows: number, columns: number) =>
    Float64Array.from({ length: rows * columns }, (_, i) => (((i * 7) % 19) - 9) / 10);
  const odd = sample.scores("odd", {
    rows: sample.position("query", ODD),
    columns: sample.position("key", ODD),
    values: wave(7, 7),
    shape: "head 0 · 7 × 7",
  });
  const many = sample.scores("many", {
    rows: sample.position("query", LONG),
    columns: sample.position("key", LONG),
    values: wave(LONG.length, LONG.length),
    shape: `head 0 · ${LONG.length} × ${LONG.length}`,
  });
  const wide = sample.scores("wide", {
    name: "W_1",
    says: "wider than any page: the box scrolls, the row's name stays",
    rows: sample.indices("model", 4),
    columns: sample.indices("hidden", 40),
    values: wave(4, 40),
    shape: "4 × 40",
    digits: 3,
  });
  const one = sample.scores("one", {
    name: "row",
    says: "a single row",
    rows: { axis: "", kind: "index", labels: [""] },
    columns: sample.position("key"),
    values: sample.flat([[0.4, -1234567, 0.00031, NaN, Infinity]]),
    shape: "1 × 5",
  });
  return section(
    "odd",
    "Odd sizes and odd words",
    "More than twelve positions take an ordered ramp. Words are text whatever they hold, and characters nobody can see are made visible.",
    row(state("odd tokens", odd), state("unusual numbers", one)),
    row(state("more than twelve positions", many)),
    row(state("wide", wide)),
  );
}
