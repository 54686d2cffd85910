import { expect, test } from "vitest";
import type { Recipe } from "../../wire/types";
import { evaluated } from "./evaluate";
import { keyOf } from "./key";

const sized = (values: number[], ...shape: number[]) => ({ values: Float64Array.from(values), shape });
const at = (axis: number, more = 0): [string, number, number] => ["at", axis, more];
const is = (value: number | string): [string, number | string] => ["is", value];

/** Q Kᵀ of (2, 3) and (2, 3). */
const products: Recipe = {
  variants: [
    {
      shape: [
        ...["each", "feature"],
        [
          "product",
          [
            ["cell", 0, 2],
            ["cell", 1, 2],
          ],
        ],
        [0, 1, 0, 1],
      ],
      ints: [is(3), at(0), is(0), at(1), is(0)],
      floats: [],
    },
  ],
};

test("a sum that counts on takes the numbers of each cell", () => {
  const inputs = [sized([1, 2, 3, 4, 5, 6], 2, 3), sized([1, 0, 2, 0, 1, 0], 2, 3)];
  expect([...evaluated(products, [], [2, 2], inputs)]).toEqual([7, 2, 16, 5]);
});

test("a softmax with a number of each row subtracted, one more term at the end, and a row that sees nothing", () => {
  const exp = (of: unknown[]) => ["exp", ["difference", of, ["cell", 0, 2]]];
  const shift = [at(0), ["row", 1]] as Recipe["variants"][number]["ints"];
  const row: Recipe = {
    variants: [
      {
        shape: [
          "quotient",
          exp(["cell", 0, 2]),
          [
            "each_and",
            "key",
            exp(["cell", 0, 2]),
            [0, 1, 0, 0],
            ["exp", ["difference", ["cell", 1, 0], ["cell", 0, 2]]],
          ],
        ],
        ints: [at(0), at(1), ...shift, is(2), at(0), is(0), ...shift, ...shift],
        floats: [],
      },
      { shape: ["number", null], ints: [], floats: [is("-inf")] },
    ],
    which: 0,
  };
  const buffers = [Uint8Array.from([0, 0, 1, 1]), Int32Array.from([1, 0])];
  const found = evaluated(row, buffers, [2, 2], [sized([Math.log(3), Math.log(6), 0, 0], 2, 2), sized([0])]);
  expect(found[0]).toBeCloseTo(0.3, 14);
  expect(found[1]).toBeCloseTo(0.6, 14);
  expect([...found.slice(2)]).toEqual([-Infinity, -Infinity]);
});

test("numbers of the cells of a variant come in turn", () => {
  const mixed: Recipe = {
    variants: [
      { shape: ["number", null], ints: [], floats: [["of", 1]] },
      { shape: ["cell", 0, 1], ints: [at(0, -1)], floats: [] },
    ],
    which: 0,
  };
  const buffers = [Uint8Array.from([0, 1, 0, 1]), Float64Array.from([0.5, 7])];
  expect([...evaluated(mixed, buffers, [4], [sized([10, 20, 30, 40], 4)])]).toEqual([0.5, 10, 7, 30]);
});

test("a sum inside of a sum is worked out as a tree", () => {
  const nested: Recipe = {
    variants: [
      {
        shape: ["each", "key", ["each", "feature", ["cell", 0, 2], [0, 1]], [0, 1, 0]],
        ints: [is(2), is(3), is(0), is(0)],
        floats: [],
      },
    ],
  };
  expect([...evaluated(nested, [], [], [sized([1, 2, 3, 4, 5, 6], 2, 3)])]).toEqual([21]);
});

test("messages that ask the same have one key", () => {
  const first = { ask: "head", state: { model: "m", head: 1, layer: undefined } };
  const second = { state: { head: 1, model: "m" }, ask: "head" };
  expect(keyOf(first)).toBe(keyOf(second));
  expect(keyOf(first)).toBe('{"ask":"head","state":{"head":1,"model":"m"}}');
});
