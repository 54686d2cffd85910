import { describe, expect, it } from "vitest";
import { STEPS } from "./values";
import { colourInto, colourWords, marksOf, scaleFor, scaleLegend, shade } from "./zoomscale";

const LINEAR = scaleFor("linear", [], 1);
const LOG = scaleFor("log", [0, 0.7, 3e-5, -1, Number.NaN], 0.7);

describe("the colour of a weight", () => {
  it("is linear from 0 to the end of the scale", () => {
    expect([0, 0.5, 1, 2].map((value) => shade(value, LINEAR))).toEqual([0, STEPS / 2, STEPS, STEPS]);
    expect(shade(0.25, scaleFor("linear", [], 0.5))).toBe(STEPS / 2);
  });

  it("is logarithmic from the power of two under the least weight to 1", () => {
    expect(LOG).toEqual({ kind: "log", least: 2 ** -16, most: 1 });
    expect(shade(2 ** -8, LOG)).toBe(STEPS / 2);
    expect(shade(1, LOG)).toBe(STEPS);
    // What is more than 0 never has the colour of 0.
    expect(shade(1e-30, LOG)).toBe(1);
    expect(shade(0, LOG)).toBe(0);
  });

  it("begins at 2^-24 at the lowest, and has a range even where there is nothing", () => {
    expect(scaleFor("log", [1e-20], 1).least).toBe(2 ** -24);
    expect(scaleFor("log", [], 1).least).toBe(0.5);
    expect(scaleFor("linear", [], 0).most).toBe(1);
  });

  it("is the same one by one and in a picture, and what is hidden is left transparent", () => {
    const values = Float32Array.of(0, 1e-30, 3e-5, 0.01, 0.3, 1, 2, -1, Number.NaN);
    const colours = colourWords("light");
    for (const scale of [LINEAR, LOG, scaleFor("linear", [], 0.3)]) {
      const words = new Uint32Array(values.length);
      colourInto(words, values, scale, colours);
      for (const [i, value] of values.entries())
        expect(words[i]).toBe(value === -1 ? 0 : colours[shade(value, scale)]);
    }
  });

  it("can be painted a part at a time", () => {
    const words = new Uint32Array(4).fill(7);
    colourInto(words, Float32Array.of(0, 0, 0, 0), LINEAR, colourWords("dark"), 1, 3);
    expect([words[0], words[3]]).toEqual([7, 7]);
    expect(words[1]).not.toBe(7);
  });
});

describe("the legend", () => {
  it("names the ends and what lies between them", () => {
    expect(marksOf(LINEAR).map(({ text }) => text)).toEqual(["0", "0.25", "0.5", "0.75", "1"]);
    const marks = marksOf(LOG);
    expect(marks[0]).toEqual({ at: 0, text: "2⁻¹⁶" });
    expect(marks[marks.length - 1]).toEqual({ at: 1, text: "1" });
    for (const { at } of marks) expect(at).toBeGreaterThanOrEqual(0);
    expect(marks.map(({ at }) => at)).toEqual([...marks.map(({ at }) => at)].sort((a, b) => a - b));
  });

  it("says that it is logarithmic, and that more may come", () => {
    expect(scaleLegend(LOG, "largest weight", false).textContent).toContain("largest weight, logarithmic");
    expect(scaleLegend(scaleFor("linear", [], 0.25), "mean weight", true).textContent).toContain("≥ 0.25");
  });
});
