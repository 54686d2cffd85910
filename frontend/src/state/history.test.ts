import { describe, expect, it } from "vitest";
import { begin, record, redo, undo } from "./history";

describe("history", () => {
  const three = record(record(begin("a"), "b"), "c");

  it("goes back and forward through every value", () => {
    expect(undo(three).present).toBe("b");
    expect(undo(undo(three)).present).toBe("a");
    expect(redo(undo(undo(three)))).toEqual(undo(three));
    expect(redo(redo(undo(undo(three))))).toEqual(three);
  });

  it("stays where it is at either end", () => {
    const start = begin("a");
    expect(undo(start)).toBe(start);
    expect(redo(three)).toBe(three);
  });

  it("forgets what was undone when something else is done", () => {
    const other = record(undo(three), "d");
    expect(redo(other)).toBe(other);
    expect(undo(other).present).toBe("b");
  });

  it("keeps the newest two hundred steps", () => {
    let history = begin(0);
    for (let i = 1; i <= 300; i++) history = record(history, i);
    for (let i = 0; i < 300; i++) history = undo(history);
    expect(history.present).toBe(100);
  });
});
