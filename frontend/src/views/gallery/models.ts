/** What real models add: maps with both axes, lines from token to token, all heads at a glance, tables that sort. */

import { h } from "../../draw/dom";
import { createHeadGrid } from "../../draw/headgrid";
import { createPatches } from "../../draw/patches";
import { rankedWords } from "../../draw/ranking";
import { createSortable, type SortableModel } from "../../draw/sortable";
import { termsTable } from "../../draw/terms";
import { createTokenLines } from "../../draw/tokenlines";
import { createWeightMap, type WeightMapModel } from "../../draw/weightmap";
import type { Explanation } from "../../wire/types";
import { exhibit, section } from "./section";

const still = () => undefined;
const WORDS = ["<pad>", "the", "dog", "saw", "<b>", " the", " cat"];

const label = (text: string, position: number) => ({
  ...{ text, position },
  ...(text === "<pad>" ? { note: "padding" } : {}),
});

/** Every row looks most at the token before it; the padding sees nothing, and nothing sees what comes later. */
function sampleMap(words: readonly string[]): WeightMapModel {
  const count = words.length;
  const values = new Float64Array(count * count);
  const hidden = new Uint8Array(count * count);
  for (let row = 0; row < count; row++)
    for (let column = 0; column < count; column++) {
      const at = row * count + column;
      hidden[at] = column > row || column === 0 ? 1 : 0;
      if (!hidden[at]) values[at] = column === row - 1 ? 0.6 : row === 1 ? 0.8 : 0.3 / Math.max(1, row - 1);
    }
  const labels = words.map(label);
  return {
    ...{ name: "weights of L1H0", values, hidden, largest: 1, digits: 2 },
    rows: { name: "tokens (query: asks)", labels },
    columns: { name: "tokens (key: is asked)", labels },
  };
}

export function modelStates(): HTMLElement {
  const sample = sampleMap(WORDS);
  const whole: WeightMapModel = {
    ...sample,
    ...{ rows: { ...sample.rows, written: 5 }, columns: { ...sample.columns, written: 5 } },
    ...{ blind: [0], row: 4, pins: [4, 2] },
    side: { name: "sink", values: Float64Array.from([1, 0.2, 0.1, 0, 0.5, 0.3, 0.1]) },
    found: { positions: [1, 5], at: 5 },
  };
  whole.values[6 * WORDS.length + 2] = Number.NaN;
  const long = Array.from({ length: 160 }, (_, i) => (i === 0 ? "<pad>" : `word${i}`));
  return section(
    "models",
    "A real model",
    "A map names both its axes and says what is masked; many heads stand in one grid; what is long is folded.",
    exhibit("a map with both axes named", createWeightMap(whole, { choose: still }).element),
    exhibit(
      "a map with more tokens than labels",
      h(
        "div",
        { class: "half" },
        createWeightMap({ ...sampleMap(long), row: 50, pins: [50] }, { choose: still }).element,
      ),
    ),
    exhibit("lines from token to token", lines([]), lines([3, 5])),
    exhibit("all heads of a model", heads(false)),
    exhibit("heads coloured by a number", heads(true)),
    exhibit("a table that sorts", createSortable(TABLE, still).element),
    exhibit("patches of a picture", patches()),
    exhibit("the next word before and after", nextWord()),
    exhibit(
      "many terms with the small ones folded",
      h("div", { class: "arithmetic" }, termsTable(MANY, still)),
    ),
  );
}

function lines(pins: number[]): HTMLElement {
  const { name, rows, columns, values, hidden, largest, digits } = sampleMap(WORDS);
  const found = { positions: [1], at: 1 };
  return createTokenLines(
    { name, rows, columns, values, largest, digits, hidden: hidden ?? null, pins, found },
    { pin: still },
  ).element;
}

function heads(coloured: boolean): HTMLElement {
  const size = 8;
  const count = 3;
  const values = Uint8Array.from({ length: count * size * size }, (_, i) => {
    const [head, row, column] = [Math.floor(i / size / size), Math.floor(i / size) % size, i % size];
    if (column > row) return 0;
    return head === 0 ? (column === 0 ? 220 : 10) : head === 1 ? (column === row ? 200 : 1) : 255 / (row + 1);
  });
  const row = (label: string, fails: string | null) => ({
    ...{ label, heads: count, what: "attention", fails },
    thumbnails: { values, rows: size, columns: size },
  });
  return createHeadGrid(
    {
      name: "3 attention layers of 3 heads, and 1 of another kind",
      rows: [
        row("L0", null),
        { label: "L1", heads: 0, what: "no attention: a recurrence", fails: null, thumbnails: null },
        row("L2", "its numbers are not the model's own"),
        row("L3", null),
      ],
      chosen: { row: 0, head: 1 },
      off: (at, head) => at === 3 && head === 2,
      colour: coloured ? { name: "previous", largest: 1, of: (at, head) => (at + head) / 5 } : null,
      says: (at, head) => `layer ${at}, head ${head}: entropy 1.20, previous token ${(at + head) / 5}.`,
    },
    still,
  ).element;
}

const TABLE: SortableModel = {
  ...{ caption: "What each head does, in numbers", what: "head", by: 1 },
  columns: ["entropy", "previous", "distance"].map((name) => ({ name, title: name })),
  rows: Array.from({ length: 14 }, (_, i) => ({
    ...{ key: String(i), name: `layer ${Math.floor(i / 7)} head ${i % 7}`, chosen: i === 3 },
    values: [1 + i / 10, (i * 5) % 14, i === 2 ? null : i],
    texts: [(1 + i / 10).toFixed(2), (((i * 5) % 14) / 14).toFixed(2), i === 2 ? "–" : i.toFixed(2)],
  })),
};

function patches(): HTMLElement {
  const [rows, columns] = [5, 7];
  return createPatches({
    ...{ name: "patches that query 0 looks at", rows, columns, largest: 1 },
    values: Float64Array.from(
      { length: rows * columns },
      (_, i) => 1 / (1 + Math.hypot((i % 7) - 4, Math.floor(i / 7) - 2)),
    ),
    says: "The picture's 5 × 7 patches, as query 0 sees them.",
  }).element;
}

function nextWord(): HTMLElement {
  const words = ["cat", "dog", "the"];
  return rankedWords(
    words.map((word, i) => ({
      ...{ at: i, word, rank: i + 1, probability: [0.6, 0.3, 0.1][i] as number, isNext: false },
      before: [0.2, 0.7, null][i] as number | null,
    })),
    { digits: 2, compared: true, after: { position: 3, word: "saw", count: 5 } },
  );
}

const number = (text: string) => ({ kind: "number" as const, text });
const MANY: Explanation = {
  ...{
    kind: "explanation",
    quantity: "scores",
    index: [0, 1],
    label: "scores[0,1]",
    place: "",
    value: "5.50",
  },
  ...{ full: "5.5", formula: null, lines: [], sources: [], feeds: [], spoken: "", text: "", latex: "" },
  terms: [4, 2, -1, 0.3, 0.2].map((value, i) => ({
    ...{
      label: `k = ${[7, 3, 12, 0, 1][i]}`,
      relation: "=" as const,
      value: value.toFixed(2).replace("-", "−"),
    },
    arithmetic: { kind: "product", factors: [number(String(value).replace("-", "−")), number("1")] },
  })),
  more: { first: 3, count: 2, zeros: 0, text: "0.50" },
  total: { relation: "=", text: "5.50" },
};
