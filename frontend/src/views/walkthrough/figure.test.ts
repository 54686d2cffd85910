import { describe, expect, it } from "vitest";
import { type Drawable, type Picture, picture } from "../../state/picture";
import { sampleWalkthrough } from "../../state/testing";
import type { Walkthrough } from "../../wire/types";
import { cellAt, cellsOf, editOf, type Figure, figuresOf, numbersOf } from "./figure";
import { asTable } from "./files";
import { pendingNumbers } from "./pending";
import { parseRow } from "./rowdialog";

function sample(): Picture {
  const state = { example: "dog" };
  const { data, buffers } = sampleWalkthrough(state);
  return picture(state, data as Walkthrough, buffers);
}

function drawable(shown: Picture, name: string): Drawable {
  const found = shown.quantities.get(name);
  if (!found) throw new Error(`the sample has no ${name}`);
  return found;
}

describe("a figure of which some places are left out", () => {
  const shown = sample();
  const scores = drawable(shown, "scores");
  const fold = (places: number[], of: number) => ({ places, of, says: `${of - places.length} more` });
  const folded: Drawable = {
    ...scores,
    about: { ...scores.about, folds: [null, fold([0, 1, 5], 9), fold([1, 2, 7], 9)] },
  };
  const [, second] = figuresOf("stop", folded, shown, 0);

  it("says so, and numbers what is there as in the whole", () => {
    expect(second?.says).toBe("what scores is · 6 more · 6 more");
    expect([second?.rows.places, second?.columns.places]).toEqual([
      [0, 1, 5],
      [1, 2, 7],
    ]);
  });

  it("asks for cells of the whole, and lights those that are there", () => {
    expect(cellAt(second!, 2, 1)).toEqual({ quantity: "scores", index: [1, 5, 2] });
    expect(cellsOf(second!, "scores", [1, 5, 7])).toEqual([[2, 2]]);
    expect(cellsOf(second!, "scores", [1, 5, 3])).toEqual([]);
    expect(cellsOf(second!, "scores", [1, 4, 7])).toEqual([]);
    expect(cellsOf(second!, "scores", [1, 0, null])).toHaveLength(3);
  });

  it("has the numbers that were sent", () => {
    const asSent = { ...shown, quantities: new Map([["scores", folded]]) };
    expect([...numbersOf(second!, asSent).values]).toEqual([9, 10, 11, 12, 13, 14, 15, 16, 17]);
  });
});

describe("the figures of a quantity", () => {
  const shown = sample();

  it("are one per head, each with its own numbers and cells", () => {
    const [first, second, ...more] = figuresOf("stop", drawable(shown, "scores"), shown, 0);
    expect(more).toEqual([]);
    expect([first?.key, second?.key]).toEqual(["stop/scores/0", "stop/scores/1"]);
    expect(second?.shape).toBe("head 1 · 3 × 3");
    expect([...numbersOf(second!, shown).values]).toEqual([9, 10, 11, 12, 13, 14, 15, 16, 17]);
    expect(cellAt(second!, 2, 1)).toEqual({ quantity: "scores", index: [1, 2, 1] });
    expect(second?.rows).toEqual({ axis: "query", kind: "position", labels: ["a", "b", "a"], count: 3 });
  });

  it("are the chosen row where the first axis is the query", () => {
    const scores = drawable(shown, "scores");
    const byQuery = {
      ...scores,
      about: { ...scores.about, axes: ["query", "key", "model"], shape: [2, 3, 3] },
    };
    const [only] = figuresOf("stop", byQuery, shown, 1);
    expect(only?.key).toBe("stop/scores/all");
    expect(cellAt(only!, 0, 2)).toEqual({ quantity: "scores", index: [1, 0, 2] });
    expect(figuresOf("stop", byQuery, shown, 9)[0]?.shape).toBe("query 1 · 3 × 3");
  });

  it("show every row of a table of positions that is longer than the sentence, in the sentence's colours", () => {
    const { about } = drawable(shown, "E");
    const longer = {
      about: { ...about, name: "P", axes: ["position", "model"], shape: [4, 2] },
      values: new Float64Array(8),
      difference: null,
      forbidden: null,
    };
    const [table] = figuresOf("stop", longer, shown, 0);
    expect(table?.rows).toEqual({
      axis: "position",
      kind: "position",
      labels: ["a", "b", "a", "not used"],
      count: 3,
    });
    expect(editOf(table!, shown, 3, 1, 5)).toEqual({ matrix: "P", row: 3, column: 1, value: 5 });
  });

  it("are one row for a vector, whose entries are edited by their number", () => {
    const { about } = drawable(shown, "E");
    const vector = {
      about: { ...about, name: "layer1.b_1", axes: ["hidden"], shape: [3] },
      values: new Float64Array([5, 6, 7]),
      difference: null,
      forbidden: null,
    };
    const [row] = figuresOf("stop", vector, shown, 0);
    expect(row).toMatchObject({ key: "stop/b_1/all", name: "b_1", shape: "layer 1 · 1 × 3" });
    expect(row?.columns).toEqual({ axis: "hidden", kind: "index", labels: ["0", "1", "2"] });
    expect(cellAt(row!, 0, 2)).toEqual({ quantity: "layer1.b_1", index: [2] });
    expect(cellsOf(row!, "layer1.b_1", [1])).toEqual([[0, 1]]);
    expect(editOf(row!, shown, 0, 2, 9)).toEqual({ matrix: "layer1.b_1", row: 2, column: 0, value: 9 });
    const given = { example: "dog", edits: [{ matrix: "layer1.b_1", row: 2, column: 0, value: 9 }] };
    expect(pendingNumbers(row!, shown, given)).toEqual(new Map([[2, 9]]));
  });

  it("are one cell for a single number, whose index is empty", () => {
    const { about } = drawable(shown, "scores");
    const loss = {
      about: { ...about, name: "loss", axes: [], shape: [] },
      values: new Float64Array([1.5]),
      difference: null,
      forbidden: null,
    };
    const withLoss = { ...shown, quantities: new Map([...shown.quantities, ["loss", loss]]) };
    const [only] = figuresOf("stop", loss, withLoss, 0);
    expect(only?.shape).toBe("one number");
    expect([...numbersOf(only!, withLoss).values]).toEqual([1.5]);
    expect(cellAt(only!, 0, 0)).toEqual({ quantity: "loss", index: [] });
    expect(cellsOf(only!, "loss", [])).toEqual([[0, 0]]);
    expect(editOf({ ...only!, editable: false }, withLoss, 0, 0, 1)).toBeNull();
  });

  it("have words over the columns of a vocabulary", () => {
    const { about } = drawable(shown, "scores");
    const logits = {
      about: { ...about, name: "logits", axes: ["position", "vocabulary"], shape: [3, 2] },
      values: new Float64Array(6),
      difference: null,
      forbidden: null,
    };
    const [table] = figuresOf("stop", logits, shown, 0);
    expect(table?.columns).toEqual({ axis: "vocabulary", kind: "word", labels: ["a", "b"] });
  });

  it("name a row of E by its word when it is edited, and any other by its number", () => {
    const [table] = figuresOf("stop", drawable(shown, "E"), shown, 0);
    expect(editOf(table!, shown, 1, 0, 5)).toEqual({ matrix: "E", row: "b", column: 0, value: 5 });
    expect(editOf({ ...table!, sources: [{ quantity: "W_Q", prefix: [1] }] }, shown, 0, 1, 5)).toEqual({
      matrix: "W_Q",
      row: 1,
      column: 1,
      value: 5,
    });
    const [scores] = figuresOf("stop", drawable(shown, "scores"), shown, 0);
    expect(editOf(scores!, shown, 0, 0, 5)).toBeNull();
  });

  it("find the cells of a pattern, whole rows and columns included", () => {
    const [first, second] = figuresOf("stop", drawable(shown, "scores"), shown, 0);
    expect(cellsOf(second!, "scores", [1, 2, 0])).toEqual([[2, 0]]);
    expect(cellsOf(first!, "scores", [1, 2, 0])).toEqual([]);
    expect(cellsOf(second!, "scores", [null, 1, null])).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
    ]);
    expect(cellsOf(second!, "scores", [1, null, 2])).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ]);
    expect(cellsOf(second!, "E", [1, 2])).toEqual([]);
  });
});

describe("a figure made of rows from several places", () => {
  const shown = sample();
  const base = figuresOf("stop", drawable(shown, "scores"), shown, 0)[0]!;
  const mixed: Figure = {
    ...base,
    sources: [
      { quantity: "scores", prefix: [1, 0] },
      { quantity: "scores", prefix: [0, 2] },
    ],
  };

  it("shows, opens and lights each row as the cells that it stands for", () => {
    expect([...numbersOf(mixed, shown).values]).toEqual([9, 10, 11, 6, 7, 8]);
    expect(cellAt(mixed, 0, 1)).toEqual({ quantity: "scores", index: [1, 0, 1] });
    expect(cellsOf(mixed, "scores", [0, 2, 1])).toEqual([[1, 1]]);
  });

  it("is copied row by row with full values and ASCII signs", () => {
    const scores = drawable(shown, "scores");
    scores.values.set([-0.1, 1 / 3, -Infinity], 6);
    expect(asTable(mixed, shown)).toBe("9\t10\t11\n-0.1\t0.3333333333333333\t-inf");
  });
});

describe("a typed row", () => {
  it.each([
    ["1 2 3", [1, 2, 3]],
    ["1, -2.5, \u22123", [1, -2.5, -3]],
    ["[1; 2\t3]", [1, 2, 3]],
    ["  1e-3 .5 0 ", [0.001, 0.5, 0]],
  ])("%s is read", (typed, row) => {
    expect(parseRow(typed, 3)).toEqual(row);
  });

  it.each([
    ["1 2", "The row has 2 numbers, and d_model is 3: 3 were expected."],
    ["1,5 2 3", "“1,5” is not a number; write 3 numbers such as 0.5 or −1, with spaces between them."],
    ["1 NaN 3", "“NaN” is not a number; write 3 numbers such as 0.5 or −1, with spaces between them."],
    ["1 1e999 3", "“1e999” is not a number; write 3 numbers such as 0.5 or −1, with spaces between them."],
  ])("%s is refused in one sentence", (typed, sentence) => {
    expect(parseRow(typed, 3)).toBe(sentence);
  });
});
