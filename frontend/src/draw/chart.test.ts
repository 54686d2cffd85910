import { beforeEach, describe, expect, it, vi } from "vitest";
import { type ChartModel, createChart, nearest } from "./chart";
import { ticks } from "./ticks";

const MODEL: ChartModel = {
  name: "loss",
  steps: [0, 1, 2, 3],
  lines: [{ name: "loss", values: [3, 2, Number.POSITIVE_INFINITY, 1], strong: true }],
  at: 1,
  digits: 2,
};

let choose = vi.fn();

beforeEach(() => {
  choose = vi.fn();
});

function plotOf(model = MODEL): HTMLElement {
  const plot = createChart(model, choose).element.querySelector<HTMLElement>("[role=slider]");
  if (!plot) throw new Error("the chart has no plot");
  return plot;
}

const press = (plot: HTMLElement, key: string) =>
  plot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

describe("a chart", () => {
  it("says the value at its mark", () => {
    const { element } = createChart(MODEL, choose);
    expect(element.querySelector(".chart-readout")?.textContent).toBe("step 1: loss 2.00");
    const plot = plotOf();
    expect(plot.getAttribute("aria-valuetext")).toBe("step 1: loss 2.00");
    expect(plot.getAttribute("aria-valuemax")).toBe("3");
  });

  it("names each of several lines", () => {
    const lines = [
      { name: "layer 0, head 0", values: [0.1, 0.25], strong: false },
      { name: "layer 0, head 1", values: [0.5], strong: true },
    ];
    const plot = plotOf({ ...MODEL, steps: [0, 5], lines, at: 0 });
    expect(plot.getAttribute("aria-valuetext")).toBe("step 0: layer 0, head 0: 0.10; layer 0, head 1: 0.50");
    const later = plotOf({ ...MODEL, steps: [0, 5], lines, at: 1 });
    expect(later.getAttribute("aria-valuetext")).toBe("step 5: layer 0, head 0: 0.25");
  });

  it.each([
    ["ArrowRight", 2],
    ["ArrowLeft", 0],
    ["End", 3],
    ["Home", 0],
    ["PageUp", 3],
    ["PageDown", 0],
  ])("is walked over with %s", (key, to) => {
    press(plotOf(), key);
    expect(choose.mock.calls).toEqual([[to]]);
  });

  it("leaves other keys to the page", () => {
    press(plotOf(), "a");
    press(plotOf(), "Tab");
    expect(choose).not.toHaveBeenCalled();
  });

  it("leaves a gap where a value is not finite", () => {
    const path = plotOf().querySelector("path")?.getAttribute("d") ?? "";
    expect(path.match(/M/g)).toHaveLength(2);
    expect(path).not.toContain("Infinity");
    expect(path).not.toContain("NaN");
  });

  it("can be drawn of nothing, and of one value", () => {
    expect(plotOf({ ...MODEL, steps: [], lines: [], at: 0 }).querySelectorAll("path")).toHaveLength(0);
    const one = plotOf({ ...MODEL, steps: [7], lines: [{ name: "loss", values: [2], strong: true }], at: 0 });
    expect(one.querySelector("path")?.getAttribute("d")).toBe("M0.00 50.00");
  });
});

describe("the nearest step", () => {
  it("is found where steps are not evenly spaced", () => {
    expect(nearest([0, 1, 10], 0.5)).toBe(1);
    expect(nearest([0, 1, 10], 0.6)).toBe(2);
    expect(nearest([0, 1, 10], 2)).toBe(2);
  });
});

describe("round numbers on an axis", () => {
  it.each([
    [0, 1, [0, 0.5, 1]],
    [0, 50, [0, 20, 40]],
    [0, 41, [0, 20, 40]],
    [0.1, 0.9, [0.2, 0.4, 0.6, 0.8]],
    [-1, 1, [-1, -0.5, 0, 0.5, 1]],
    [0, 0.004, [0, 0.001, 0.002, 0.003, 0.004]],
  ])("from %d to %d are %j", (from, to, found) => {
    expect(ticks(from, to, 5)).toEqual(found);
  });
});
