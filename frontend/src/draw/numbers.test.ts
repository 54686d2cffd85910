import { describe, expect, it } from "vitest";
import golden from "../../../tests/golden/numbers.json";
import { type Digits, formatDifference, formatNumber, parseNumber, plainNumber } from "./numbers";

const SPECIAL: Record<string, number> = { inf: Infinity, "-inf": -Infinity, nan: Number.NaN };
const CASES = golden as { value: number | string; digits: Digits; text: string }[];

const numberOf = (value: number | string): number => {
  const number = typeof value === "number" ? value : SPECIAL[value];
  if (number === undefined) throw new Error(`tests/golden/numbers.json has the unknown value ${value}.`);
  return number;
};

describe("the golden list shared with Python", () => {
  it("is not empty", () => {
    expect(CASES.length).toBeGreaterThan(30);
  });

  it.each(CASES)("$value at $digits is $text", ({ value, digits, text }) => {
    expect(formatNumber(numberOf(value), digits)).toBe(text);
  });

  it.each(CASES.filter((c) => c.digits === "full" && /\d/.test(c.text)))("reads $text back exactly", (c) => {
    expect(parseNumber(c.text)).toBe(numberOf(c.value) + 0); // + 0: minus zero is written and read as zero
  });
});

it.each([
  [0.125, 2, "+0.13"],
  [-0.125, 2, "−0.13"],
  [0, 2, "0"],
] as const)("a difference of %s is written %s digits as %s", (value, digits, text) => {
  expect(formatDifference(value, digits)).toBe(text);
});

it.each([
  [-0.1, "-0.1"],
  [1e-7, "0.0000001"],
  [-1e-9, "-1e-9"],
  [1e21, "1e21"],
  [-Infinity, "-inf"],
  [-0, "0"],
])("%s is copied as %s", (value, text) => {
  expect(plainNumber(value)).toBe(text);
});

describe("parseNumber", () => {
  it.each([
    ["−1.5", -1.5],
    ["-1.5", -1.5],
    ["+2", 2],
    [" .5 ", 0.5],
    ["3.", 3],
    ["1e-3", 0.001],
    ["2E2", 200],
    ["1e−3", 0.001],
  ])("reads %j", (text, value) => {
    expect(parseNumber(text)).toBe(value);
  });

  it.each(["", " ", "1,5", "1,000", "abc", "0x10", "Infinity", "NaN", "1e999", "--1", "1 2", "."])(
    "refuses %j",
    (text) => {
      expect(parseNumber(text)).toBeNull();
    },
  );
});
