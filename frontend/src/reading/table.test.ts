import { expect, it } from "vitest";
import { type Grid, latexTable, markdownTable } from "./table";

const GRID: Grid = {
  name: "layer0.W_Q",
  latex: "W_{Q}^{(0)}",
  of: ["head 1"],
  axes: ["query", "feature"],
  rows: [
    { number: 0, word: "a|b" },
    { number: 5, word: null },
  ],
  columns: [
    { number: 2, word: null },
    { number: 3, word: "$x_1$" },
  ],
  values: [1.5, -Infinity, -0.25, 1e-9],
};

it("writes a matrix as a pipe table, in which words stay words", () => {
  expect(markdownTable(GRID, 2)).toBe(
    [
      "| layer0\\.W\\_Q, head 1: query ↓ feature → | 2 | 3 \\$x\\_1\\$ |",
      "| --- | --: | --: |",
      "| 0 a\\|b | 1.50 | −∞ |",
      "| 5 | −0.25 | 1.0e−9 |",
    ].join("\n"),
  );
});

it("writes a masked 0 as masked, and 0 as 0", () => {
  const grid: Grid = { ...GRID, values: [0, 0, -Infinity, 1], masked: [0, 1, 1, 0] };
  expect(markdownTable(grid, 2).split("\n").slice(2)).toEqual([
    "| 0 a\\|b | 0 | masked |",
    "| 5 | −∞ | 1.00 |",
  ]);
  expect(latexTable(grid, 2).split("\n").slice(4, 6)).toEqual([
    "0 a\\textbar{}b & $0$ & masked \\\\",
    "5 & $-\\infty$ & $1.00$ \\\\",
  ]);
});

it("writes a matrix as a tabular", () => {
  expect(latexTable(GRID, 2)).toBe(
    [
      "\\begin{tabular}{r|rr}",
      "\\multicolumn{3}{l}{$W_{Q}^{(0)}$, head 1} \\\\",
      "query $\\downarrow$\\ feature $\\rightarrow$ & 2 & 3 \\$x\\_1\\$ \\\\",
      "\\hline",
      "0 a\\textbar{}b & $1.50$ & $-\\infty$ \\\\",
      "5 & $-0.25$ & $1.0 \\cdot 10^{-9}$ \\\\",
      "\\end{tabular}",
    ].join("\n"),
  );
});

it("names a row of a vector and a comparison as each has a name", () => {
  const columns = [{ number: 0, word: null }];
  const rows = [{ number: 0, word: null }];
  const vector: Grid = { ...GRID, of: [], axes: ["", "feature"], rows, columns, values: [2] };
  expect(markdownTable(vector, 2).split("\n")[2]).toBe("|  | 2.00 |");
  const compared: Grid = { ...vector, rows: [{ number: null, word: "not divided" }] };
  expect(markdownTable(compared, 2).split("\n")[2]).toBe("| not divided | 2.00 |");
  const number: Grid = { ...vector, axes: ["", ""] };
  expect(latexTable(number, 2).split("\n")[2]).toBe("\\hline");
});
