import { beforeEach, expect, it, vi } from "vitest";
import { createHeadGrid, type HeadGridModel, headLegend, headSize } from "./headgrid";
import { createSortable, type SortableRow, sorted } from "./sortable";

const row = (label: string, heads: number, fails: string | null = null) => ({
  ...{ label, heads, what: heads ? "attention" : "a recurrence", fails, thumbnails: null },
});
const MODEL: HeadGridModel = {
  ...{ name: "heads", chosen: { row: 2, head: 1 }, colour: null },
  rows: [row("L0", 3), row("L1", 0), row("L2", 2, "they differ")],
  off: (at, head) => at === 0 && head === 2,
  says: (at, head) => `layer ${at}, head ${head}: entropy 1.00.`,
};

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", () => 0);
});

function made(model = MODEL) {
  const open = vi.fn();
  const grid = createHeadGrid(model, open);
  document.body.replaceChildren(grid.element);
  const cells = [...grid.element.querySelectorAll<HTMLElement>(".head-cell")];
  const press = (key: string) =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
    );
  return { grid, open, cells, press };
}

it("has one tab stop, at the chosen head", () => {
  const { cells } = made();
  expect(cells.map((cell) => cell.tabIndex)).toEqual([-1, -1, -1, -1, 0]);
  expect(cells.map((cell) => cell.getAttribute("aria-selected"))).toEqual([
    "false",
    "false",
    "false",
    "false",
    "true",
  ]);
});

it("is walked with arrow keys, past layers that are no attention, and opened with Enter", () => {
  const { cells, press, open } = made();
  cells[4]?.focus();
  press("ArrowUp");
  expect(document.activeElement).toBe(cells[1]);
  press("End");
  press("ArrowDown");
  expect(document.activeElement).toBe(cells[4]);
  press("Home");
  press("Enter");
  expect(open).toHaveBeenCalledWith(2, 0);
});

it("says what is no attention, marks what fails and what is off, and tells about the head it is at", () => {
  const { grid, cells } = made();
  expect(grid.element.querySelector(".no-heads")?.textContent).toBe("a recurrence");
  expect(grid.element.querySelector(".fails th")?.textContent).toBe("× L2");
  expect(cells.map((cell) => cell.classList.contains("off"))).toEqual([false, false, true, false, false]);
  cells[0]?.focus();
  expect(grid.element.querySelector(".head-says")?.textContent).toBe("layer 0, head 0: entropy 1.00.");
});

it("is smaller the more there is", () => {
  expect([headSize(2, 4), headSize(12, 12), headSize(30, 9)]).toEqual([52, 40, 26]);
});

const rows: SortableRow[] = [3, null, 5].map((value, i) => ({
  ...{ key: String(i), name: `row ${i}`, values: [value], texts: [String(value)], chosen: i === 2 },
}));

it("sorts from the largest down, with what does not apply last", () => {
  expect(sorted(rows, 0).map(({ key }) => key)).toEqual(["2", "0", "1"]);
  expect(sorted(rows, null).map(({ key }) => key)).toEqual(["0", "1", "2"]);
});

it("says by what it is sorted, keeps the focus on the heading, and unfolds the rest", () => {
  const many = Array.from({ length: 14 }, (_, i) => ({ ...rows[0]!, key: String(i) }));
  const columns = [{ name: "entropy", title: "" }];
  const model = { caption: "c", what: "head", columns, rows: many, by: null };
  const sort = vi.fn((by: number | null) => table.update({ ...model, by }));
  const table = createSortable(model, sort);
  document.body.replaceChildren(table.element);
  const heading = () => table.element.querySelectorAll<HTMLButtonElement>("thead button")[1];
  heading()?.focus();
  heading()?.click();
  expect(table.element.querySelector("[aria-sort=descending]")?.textContent).toBe("entropy ↓");
  expect(document.activeElement).toBe(heading());
  expect(table.element.querySelectorAll("tbody tr")).toHaveLength(12);
  table.element.querySelector<HTMLButtonElement>(":scope > button")?.click();
  expect(table.element.querySelectorAll("tbody tr")).toHaveLength(14);
});

it("says what is hatched where something is masked, and only there", () => {
  const legend = (...values: number[]) => {
    const thumbnails = { values: Uint8Array.from(values), rows: 1, columns: values.length };
    return headLegend(false, [row("L1", 0), { ...row("L0", 1), thumbnails }]).textContent;
  };
  expect(legend(1, 255, 0)).toContain("masked");
  expect(legend(1, 254)).not.toMatch(/masked|NaN/);
  expect(legend(1, 255)).toContain("no number (NaN)");
});
