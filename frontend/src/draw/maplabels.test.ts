import { expect, it, vi } from "vitest";
import { labelRoom, paintLabels } from "./maplabels";
import type { Brush } from "./mappaint";

const LETTERS = { family: "serif", size: 12 };

/** A context whose letters are all 7 pixels wide. */
function context() {
  const measureText = vi.fn((text: string) => ({ width: 7 * [...text].length }));
  const fillText = vi.fn();
  const nothing = () => undefined;
  const known: Record<string, unknown> = { measureText, fillText };
  const made = new Proxy(known, { get: (of, name) => of[name as string] ?? nothing, set: () => true });
  return { made: made as unknown as CanvasRenderingContext2D, measureText, fillText };
}

it("measures a token of ten thousand letters a few times, and never the whole of it", () => {
  const { made, measureText, fillText } = context();
  const labels = ["a", "x".repeat(10_000)].map((text, position) => ({ text, position }));
  expect(labelRoom(made, LETTERS, labels, 40, 150)).toBe(150);
  const axis = { name: "key", labels };
  const brush: Brush = { context: made, ratio: 1, theme: "light", letters: LETTERS };
  const sight = { cell: 30, left: 150, top: 110, x: 0, y: 0, width: 400, height: 400, cursor: null };
  const at = {
    row: (i: number) => 110 + 30 * i,
    column: (i: number) => 150 + 30 * i,
    side: 0,
    rows: [0, 2] as [number, number],
    columns: [0, 2] as [number, number],
  };
  paintLabels(brush, { rows: axis, columns: axis }, sight, at);
  expect(Math.max(...measureText.mock.calls.map(([text]) => text.length))).toBeLessThan(120);
  expect(measureText.mock.calls.length).toBeLessThan(40);
  // 150 pixels less 8 beside it, 16 for its number and 4 between them hold 17 letters, the last one "…".
  expect(fillText.mock.calls.map(([text]) => text)).toContain(`${"x".repeat(16)}…`);
});
