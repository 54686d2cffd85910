import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createWeightMap, type WeightMapModel } from "./weightmap";

const labels = ["the", "<b>", " cat"].map((text, position) => ({ text, position }));
const MODEL: WeightMapModel = {
  ...{ name: "weights of L0H0", largest: 1, digits: 2 },
  rows: { name: "query (asks)", labels },
  columns: { name: "key (is asked)", labels },
  values: Float64Array.from([1, 0, 0, 0.25, 0.75, 0, 0, 0, 0]),
  hidden: Uint8Array.from([0, 1, 1, 0, 0, 1, 0, 0, 0]),
  blind: [2],
};

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", () => 0);
  vi.stubGlobal("ResizeObserver", undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function made(part: Partial<WeightMapModel> = {}) {
  const choose = vi.fn();
  const map = createWeightMap({ ...MODEL, ...part }, { choose });
  document.body.replaceChildren(map.element);
  const grid = map.element.querySelector<HTMLElement>("[role=grid]")!;
  const press = (key: string, more: KeyboardEventInit = {}) =>
    grid.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const spoken = () => document.getElementById(grid.getAttribute("aria-activedescendant") ?? "")?.textContent;
  return { map, grid, press, spoken, choose };
}

it("names both axes, in words and to a screen reader", () => {
  const { map, grid } = made();
  expect(map.element.querySelector(".map-axes")?.textContent).toBe("query (asks) ↓key (is asked) →");
  expect(grid.getAttribute("aria-label")).toBe("weights of L0H0: query (asks) down, key (is asked) across");
  expect([grid.getAttribute("aria-rowcount"), grid.getAttribute("aria-colcount")]).toEqual(["3", "3"]);
});

it("is one tab stop, and reads the exact number under its cursor", () => {
  const { map, grid, press, spoken } = made();
  expect(map.element.querySelectorAll("[tabindex]")).toHaveLength(1);
  grid.focus();
  press("ArrowDown");
  expect(spoken()).toBe("1 <b> → 0 the: 0.2500");
  expect(map.element.querySelector(".map-readout")?.textContent).toBe("1 <b> → 0 the: 0.25");
  press("End");
  expect(spoken()).toBe("1 <b> → 2 ␣cat: masked");
  press("End", { ctrlKey: true });
  expect(spoken()).toBe("2 ␣cat → 2 ␣cat: this row sees nothing");
  expect(map.element.querySelector("b")).toBeNull();
});

it("says a weight of 0 otherwise than a masked one, and the share of a sink", () => {
  const { grid, press, spoken } = made({
    blind: [],
    side: { name: "sink", values: Float64Array.from([0, 0.5, 1]) },
  });
  grid.focus();
  press("End", { ctrlKey: true });
  expect(spoken()).toBe("2 ␣cat → 2 ␣cat: 0; sink 1.00");
});

it("gives every move a cell of its own, so that it is read out", () => {
  const { grid, press } = made();
  grid.focus();
  const first = grid.getAttribute("aria-activedescendant");
  press("ArrowDown");
  expect(grid.getAttribute("aria-activedescendant")).not.toBe(first);
});

it("keeps its cursor when numbers come, and takes it along to another row that is chosen", () => {
  const { map, grid, press, spoken } = made({ row: 1 });
  grid.focus();
  press("Home", { ctrlKey: true });
  press("ArrowRight");
  map.update({ ...MODEL, row: 1, values: MODEL.values.map((value) => value / 2) });
  press("ArrowLeft");
  expect(spoken()).toBe("0 the → 0 the: 0.5000");
  map.update({ ...MODEL, row: 2 });
  press("ArrowUp");
  expect(spoken()).toBe("1 <b> → 0 the: 0.2500");
});

it("chooses with Enter and with a click", () => {
  const { grid, press, choose } = made();
  grid.focus();
  press("ArrowDown");
  press("Enter");
  expect(choose).toHaveBeenCalledWith(1, 0);
  grid.scrollTop = 0; // without a size nothing is in sight, and the cursor was brought there
  grid.scrollLeft = 0;
  grid.getBoundingClientRect = () => ({ left: 0, top: 0 }) as DOMRect;
  // Labels take 40 pixels at either side; a cell is as large as it may be.
  grid.dispatchEvent(new MouseEvent("click", { clientX: 40 + 35, clientY: 40 + 65, bubbles: true }));
  expect(choose).toHaveBeenLastCalledWith(2, 1);
});

it("explains only the marks that it has", () => {
  expect(made().map.element.querySelector(".map-legend")?.textContent).toContain("this row sees nothing");
  const plain = made({ hidden: null, blind: [] }).map.element.querySelector(".map-legend");
  expect(plain?.textContent).toBe("weight01");
  const answered = made({ rows: { ...MODEL.rows, written: 1 } }).map.element.querySelector(".map-legend");
  expect(answered?.textContent).toContain("the model wrote it");
});

it("refuses numbers that do not fill it", () => {
  expect(() => made({ values: new Float64Array(8) })).toThrow("weights of L0H0 has 8 values for 9 cells.");
});

it("brings the chosen row into sight once, and leaves the scroll to the person after that", () => {
  let paint = () => undefined as unknown;
  vi.stubGlobal("requestAnimationFrame", (run: () => unknown) => {
    paint = run;
    return 1;
  });
  const many = Array.from({ length: 100 }, (_, position) => ({ text: "x", position }));
  const { map, grid } = made({
    ...{ rows: { name: "query", labels: many }, columns: { name: "key", labels: many }, hidden: null },
    ...{ values: new Float64Array(10_000), blind: [], row: 90 },
  });
  Object.defineProperty(grid, "clientHeight", { value: 200 });
  paint();
  expect(grid.scrollTop).toBeGreaterThan(0);
  grid.scrollTop = 3;
  map.redraw();
  paint();
  expect(grid.scrollTop).toBe(3);
});

it("says that a NaN is no number, and what padding is", () => {
  const padded = labels.map((label, at) => (at === 2 ? { ...label, note: "padding" } : label));
  const { map, grid, press, spoken } = made({
    blind: [],
    values: Float64Array.from([Number.NaN, Number.NaN, 0, 0.25, 0.75, 0, 0, 0, 0]),
    rows: { name: "query", labels: padded },
  });
  grid.focus();
  press("Home", { ctrlKey: true });
  expect(spoken()).toBe("0 the → 0 the: no number");
  const legend = map.element.querySelector(".map-legend")?.textContent;
  expect(legend).toContain("no number (NaN)");
  expect(legend).toContain("padding, which is no part of the text");
});

it("has no legend for a NaN that is masked, nor for padding that is not there", () => {
  const { map } = made({ values: Float64Array.from([1, Number.NaN, 0, 0.25, 0.75, 0, 0, 0, 0]) });
  expect(map.element.querySelector(".map-legend")?.textContent).not.toMatch(/NaN|padding/);
});
