import { describe, expect, it } from "vitest";
import { addWord, editEntry, moveWord, removeWord, replaceWord, setRow, setSetting } from "./changes";

const start = { example: "dog" };

describe("changes of the state", () => {
  it("leave the old state as it was", () => {
    const edited = editEntry(start, { matrix: "W_Q", row: 0, column: 1, value: 2 });
    expect(start).toEqual({ example: "dog" });
    expect(setSetting(edited, "mask", "causal")).toEqual({ ...edited, mask: "causal" });
    expect(edited.edits).toHaveLength(1);
  });

  it("keep one edit for each entry, the last one", () => {
    const once = editEntry(start, { matrix: "E", row: "the", column: 1, value: 2 });
    const other = editEntry(once, { matrix: "E", row: "dog", column: 1, value: 5 });
    const twice = editEntry(other, { matrix: "E", row: "the", column: 1, value: 3 });
    expect(twice.edits).toEqual([
      { matrix: "E", row: "dog", column: 1, value: 5 },
      { matrix: "E", row: "the", column: 1, value: 3 },
    ]);
  });

  it("replace a whole row together with its single edits, and no others", () => {
    const edited = editEntry(editEntry(start, { matrix: "E", row: "fox", column: 0, value: 9 }), {
      matrix: "W_Q",
      row: 0,
      column: 0,
      value: 7,
    });
    expect(setRow(edited, "fox", [1, 2])).toEqual({
      example: "dog",
      rows: { fox: [1, 2] },
      edits: [{ matrix: "W_Q", row: 0, column: 0, value: 7 }],
    });
  });

  it("take any word as the name of a row", () => {
    expect(Object.keys(setRow(start, "__proto__", [1]).rows ?? {})).toEqual(["__proto__"]);
  });

  it("move words to every place and no further than the ends", () => {
    const words = ["a", "b", "c"];
    expect(moveWord(words, 0, 2)).toEqual(["b", "c", "a"]);
    expect(moveWord(words, 2, 0)).toEqual(["c", "a", "b"]);
    expect(moveWord(words, 1, -1)).toEqual(["b", "a", "c"]);
    expect(moveWord(words, 1, 9)).toEqual(["a", "c", "b"]);
    expect(moveWord(words, 7, 0)).toEqual(words);
  });

  it("add, replace and remove words by position, so a repeated word stays two words", () => {
    expect(addWord(["the"], "the")).toEqual(["the", "the"]);
    expect(replaceWord(["the", "the"], 1, "a")).toEqual(["the", "a"]);
    expect(removeWord(["the", "dog", "the"], 2)).toEqual(["the", "dog"]);
  });
});
