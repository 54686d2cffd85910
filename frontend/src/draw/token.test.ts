import { describe, expect, it } from "vitest";
import golden from "../../../tests/golden/tokens.json";
import { briefly, spokenToken, visibleToken } from "./token";

const CASES = golden as [string, string][];

it("reads a golden list, shared with Python, that is not empty", () => {
  expect(CASES.length).toBeGreaterThan(20);
});

it.each(CASES)("shows %j as %j", (token, shown) => {
  expect(visibleToken(token)).toBe(shown);
});

it.each([
  [" ", "a space"],
  ["   ", "3 spaces"],
  ["", "empty token"],
  ["dog", "dog"],
])("says %j as %j", (token, said) => {
  expect(spokenToken(token)).toBe(said);
});

describe("a place that names words", () => {
  const [short, long] = ["🐕".repeat(40), "🐕".repeat(41)];

  it.each([
    ["key 2 “cat”, feature 0", "key 2 “cat”, feature 0"],
    [`query 1 “${short}”`, `query 1 “${short}”`],
    [`query 1 “${long}”, key 0 “a”`, `query 1 “${short}…”, key 0 “a”`],
    [`row “${"a ".repeat(30)}”`, `row “${"a ".repeat(20)}…”`],
    [`row “x”${long}”`, `row “x”${short}…”`],
  ])("says %s briefly", (said, brief) => {
    expect(briefly(said)).toBe(brief);
  });
});
