import { expect, it } from "vitest";
import { smaller } from "./minimap";

it("draws a map together without losing a single strong cell", () => {
  const values = new Float32Array(11 * 11);
  values[7 * 11 + 5] = 0.9;
  const { values: less, rows, columns } = smaller(values, 11, 11, 4, "largest");
  expect([rows, columns]).toEqual([4, 4]);
  expect(Math.max(...less)).toBeCloseTo(0.9);
  expect(Math.max(...smaller(values, 11, 11, 4, "mean").values)).toBeCloseTo(0.9 / 9);
});

it("keeps what is hidden apart from 0, and a small map as it is", () => {
  expect([...smaller([-1, -1, 0.5, -1], 2, 2, 1, "mean").values]).toEqual([0.5]);
  expect([...smaller([-1, -1, -1, -1], 2, 2, 1, "mean").values]).toEqual([-1]);
  expect([...smaller([1, 2, 3, 4], 2, 2, 168, "largest").values]).toEqual([1, 2, 3, 4]);
});
