import { expect, it } from "vitest";
import { along, createDistances, namedDistances, rangeText } from "./distances";

it("has an octave as long everywhere, on both sides", () => {
  expect(along(3) - along(1)).toBeCloseTo(along(7) - along(3));
  expect(along(-7)).toBe(-along(7));
});

it("names powers of two, few enough to read", () => {
  expect(namedDistances(0, 6)).toEqual([0, 1, 2, 4]);
  expect(namedDistances(-6, 6)).toContain(-4);
  expect(namedDistances(0, 32768).length).toBeLessThanOrEqual(8);
  expect(rangeText(8, 10)).toBe("8–9");
  expect(rangeText(-1, 0)).toBe("−1");
});

it("draws a bar for each range and says where the most is", () => {
  const made = createDistances();
  made.update({ edges: [0, 1, 2, 4], shares: [0.1, 0.75, 0.15], digits: 2 });
  expect(made.element.querySelectorAll("rect")).toHaveLength(3);
  expect(made.element.textContent).toContain("The largest share, 0.75, lies 1 token back.");
});
