import { expect, it } from "vitest";
import golden from "../../../tests/golden/tokens.json";
import { spokenToken, visibleToken } from "./token";

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
