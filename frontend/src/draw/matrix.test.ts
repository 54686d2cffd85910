import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMatrix, type Matrix, type MatrixModel } from "./matrix";

const MODEL: MatrixModel = {
  key: "scores/0",
  name: "scores",
  says: "how well each query matches each key",
  shape: "head 0 · 2 × 3",
  rows: { axis: "query", kind: "position", labels: ["the", "dog"] },
  columns: { axis: "key", kind: "position", labels: ["the", "dog", "<b>x</b>"] },
  values: Float64Array.from([0.7, -1.25, 0, 3, 1e-5, -Infinity]),
  forbidden: Uint8Array.from([0, 0, 0, 0, 0, 1]),
  scale: "signed",
  editable: true,
  digits: 2,
  showDifference: false,
};

let matrix: Matrix;
const handlers = { open: vi.fn(), edit: vi.fn() };

beforeEach(() => {
  handlers.open.mockReset();
  handlers.edit.mockReset();
  matrix = createMatrix(MODEL, handlers);
  document.body.append(matrix.element);
});

afterEach(() => matrix.element.remove());

const cells = () => [...matrix.element.querySelectorAll("td")];
const cell = (row: number, column: number) => cells()[row * 3 + column] as HTMLElement;
const press = (key: string, init: KeyboardEventInit = {}) =>
  document.activeElement?.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init }),
  );
const input = () => matrix.element.querySelector("input") as HTMLInputElement;
const message = () => matrix.element.querySelector("[role=alert]") as HTMLElement;

describe("what is drawn", () => {
  it("is a grid with caption, axis names and headers", () => {
    const table = matrix.element.querySelector("table[role=grid]") as HTMLTableElement;
    expect(table.caption?.textContent).toContain("scores head 0 · 2 × 3");
    expect(table.querySelector(".corner")?.textContent).toBe("key → query ↓");
    expect([...table.querySelectorAll("tbody th")].map((th) => th.textContent)).toEqual(["0 the", "1 dog"]);
    expect(table.querySelector("thead th:last-child")?.textContent).toBe("2 <b>x</b>");
    expect(table.querySelector("b")).toBeNull();
  });

  it("writes every number, with a true minus", () => {
    expect(cells().map((td) => td.textContent)).toEqual(["0.70", "−1.25", "0", "3.00", "1.0e−5", "−∞"]);
  });

  it("lines up decimal points: what is missing after a number is there, invisible", () => {
    const pads = cells().map((td) => (td.firstElementChild as HTMLElement).dataset.pad ?? "");
    expect(pads).toEqual(["", "", ".00", "", "", ".00"]);
  });

  it("names each cell in words", () => {
    expect(cell(0, 1).getAttribute("aria-label")).toBe("scores, query 0 the, key 1 dog, minus 1.25");
    expect(cell(1, 2).getAttribute("aria-label")).toBe(
      "scores, query 1 dog, key 2 <b>x</b>, minus infinity, masked",
    );
  });

  it("says masked where it is masked, and not where a number is zero", () => {
    expect([cell(1, 2).title, cell(1, 2).classList.contains("masked")]).toEqual(["masked", true]);
    expect([cell(0, 2).title, cell(0, 2).classList.contains("masked")]).toEqual(["", false]);
  });

  it("refuses values that are not one for each cell", () => {
    expect(() => createMatrix({ ...MODEL, values: new Float64Array(5) }, handlers)).toThrow(
      "scores/0 has 5 values for 6 cells.",
    );
  });
});

describe("the keyboard", () => {
  it("has one tab stop", () => {
    expect(matrix.element.querySelectorAll("[tabindex='0']").length).toBe(1);
    expect(cell(0, 0).getAttribute("tabindex")).toBe("0");
  });

  it.each([
    ["ArrowRight", {}, [0, 1]],
    ["ArrowDown", {}, [1, 0]],
    ["ArrowLeft", {}, [0, 0]],
    ["End", {}, [0, 2]],
    ["PageDown", {}, [1, 0]],
    ["End", { ctrlKey: true }, [1, 2]],
  ] as const)("%s %j moves to %j", (key, init, [row, column]) => {
    matrix.focusCell(0, 0);
    press(key, init);
    expect(document.activeElement).toBe(cell(row, column));
    expect(matrix.element.querySelectorAll("[tabindex='0']").length).toBe(1);
  });

  it("goes back to the first cell with Ctrl+Home", () => {
    matrix.focusCell(1, 2);
    press("Home", { ctrlKey: true });
    expect(document.activeElement).toBe(cell(0, 0));
  });

  it("opens with Enter and with a click, and a click makes the cell current", () => {
    matrix.focusCell(1, 1);
    press("Enter");
    cell(0, 2).click();
    expect(handlers.open.mock.calls).toEqual([
      [1, 1],
      [0, 2],
    ]);
    expect(document.activeElement).toBe(cell(0, 2));
  });

  it("opens what it moves to while a cell is open, and only then", () => {
    matrix.focusCell(0, 0);
    press("ArrowRight");
    expect(handlers.open).not.toHaveBeenCalled();
    matrix.light("opened", [[0, 1]]);
    press("ArrowDown");
    expect(handlers.open.mock.calls).toEqual([[1, 1]]);
  });
});

describe("editing", () => {
  const type = (text: string) => {
    input().value = text;
    input().dispatchEvent(new Event("input", { bubbles: true }));
  };

  it("commits with Enter and gives the focus back", () => {
    matrix.focusCell(0, 1);
    press("F2");
    expect(input().value).toBe("−1.25");
    type("-0.5");
    press("Enter");
    expect(handlers.edit.mock.calls).toEqual([[0, 1, -0.5]]);
    expect(input()).toBeNull();
    expect(document.activeElement).toBe(cell(0, 1));
  });

  it("starts with the digit or the minus that was typed", () => {
    matrix.focusCell(0, 0);
    press("−");
    expect(input().value).toBe("−");
  });

  it("starts with a double click", () => {
    cell(1, 0).dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
    expect(input().value).toBe("3");
  });

  it("cancels with Escape", () => {
    matrix.focusCell(0, 0);
    press("5");
    press("Escape");
    expect(input()).toBeNull();
    expect(handlers.edit).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(cell(0, 0));
  });

  it.each(["1,5", "abc", "", "1e999", "Infinity"])(
    "keeps %j and says in one sentence that it is no number",
    (text) => {
      matrix.focusCell(0, 0);
      press("F2");
      type(text);
      press("Enter");
      expect(input().value).toBe(text);
      expect(input().getAttribute("aria-invalid")).toBe("true");
      expect(message().textContent).toMatch(/number/);
      expect(handlers.edit).not.toHaveBeenCalled();
      type("2");
      expect(message().textContent).toBe("");
    },
  );

  it("moves the caret, not the cell, with the arrows", () => {
    matrix.focusCell(0, 0);
    press("5");
    press("ArrowRight");
    expect(document.activeElement).toBe(input());
  });

  it("survives an update in place", () => {
    matrix.focusCell(0, 0);
    press("F2");
    type("9.");
    matrix.update({ ...MODEL, values: MODEL.values.map((v) => v + 1) });
    expect(input().value).toBe("9.");
  });

  it("does not start where nothing can be edited", () => {
    matrix.update({ ...MODEL, editable: false });
    matrix.focusCell(0, 0);
    press("F2");
    press("5");
    expect(input()).toBeNull();
    expect(matrix.element.querySelector("table")?.getAttribute("aria-readonly")).toBe("true");
  });
});

describe("update", () => {
  it("keeps the cells, the focus and the lights while the shape stays", () => {
    const before = cells();
    matrix.focusCell(1, 1);
    matrix.light("source", [[1, 1]]);
    matrix.update({
      ...MODEL,
      columns: { ...MODEL.columns, labels: ["a", "cat", "sat"] },
      values: new Float64Array(6),
    });
    expect(cells()).toEqual(before);
    expect(document.activeElement).toBe(cell(1, 1));
    expect(cell(1, 1).classList.contains("source")).toBe(true);
    expect(cell(1, 1).getAttribute("aria-label")).toBe(
      "scores, query 1 dog, key 1 cat, 0, masked".replace(", masked", ", a source of the open cell"),
    );
  });

  it("makes new cells for a new shape, with one tab stop inside it", () => {
    matrix.focusCell(1, 2);
    const labels = ["the"];
    matrix.update({
      ...MODEL,
      rows: { ...MODEL.rows, labels },
      columns: { ...MODEL.columns, labels },
      values: Float64Array.of(1),
      forbidden: undefined,
      reshaped: true,
    });
    expect(cells().length).toBe(1);
    expect(matrix.element.querySelectorAll("td[tabindex='0']").length).toBe(1);
    expect(matrix.element.querySelector("caption")?.textContent).toContain("new shape");
  });

  it("marks what changed, and prints the difference on demand", () => {
    const difference = Float64Array.from([0.12, 0, 0, -3, 0, Number.NaN]);
    matrix.update({ ...MODEL, difference });
    expect(cells().map((td) => td.classList.contains("changed"))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
    ]);
    expect(matrix.element.querySelector(".difference")?.textContent ?? "").toBe("");
    matrix.update({ ...MODEL, difference, showDifference: true });
    expect(cell(0, 0).querySelector(".difference")?.textContent).toBe("+0.12");
    expect(cell(1, 0).querySelector(".difference")?.textContent).toBe("−3.00");
    expect(cell(0, 0).getAttribute("aria-label")).toBe("scores, query 0 the, key 0 the, 0.70 +0.12, changed");
  });

  it("runs the newest action under an unchanged label", () => {
    const [first, second] = [vi.fn(), vi.fn()];
    matrix.update({ ...MODEL, actions: [{ label: "copy", run: first }] });
    matrix.update({ ...MODEL, actions: [{ label: "copy", run: second }] });
    (matrix.element.querySelector(".matrix-actions button") as HTMLElement).click();
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1]);
  });
});

describe("light", () => {
  it("lights exactly the given cells, says so, and takes it back", () => {
    matrix.light("feeds", [
      [0, 0],
      [0, 1],
    ]);
    matrix.light("feeds", [[0, 1]]);
    expect(cells().map((td) => td.classList.contains("feeds"))).toEqual([
      false,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(cell(0, 1).getAttribute("aria-label")).toMatch(/fed by the open cell$/);
    matrix.light("feeds", "all");
    expect(matrix.element.querySelectorAll(".feeds").length).toBe(6);
    matrix.light("feeds", null);
    expect(matrix.element.querySelectorAll(".feeds").length).toBe(0);
  });

  it("an open cell is selected for screen readers", () => {
    matrix.light("opened", [[1, 0]]);
    expect(cell(1, 0).getAttribute("aria-selected")).toBe("true");
  });

  it("passes over cells that are not there", () => {
    matrix.light("source", [
      [9, 9],
      [0, 0],
    ]);
    expect(matrix.element.querySelectorAll(".source").length).toBe(1);
  });
});
