import { expect, it } from "vitest";
import { spokenToken, visibleToken } from "./token";

it.each([
  ["dog", "dog"],
  [" ", "␣"],
  [" dog", "␣dog"],
  ["ice cream", "ice cream"],
  ["", "∅"],
  ["a\nb", "a↵b"],
  ["\t", "⇥"],
  ["a\u202eb", "a‹U+202E›b"],
  ["\u0007", "‹U+0007›"],
  ["👩\u200d🚀", "👩\u200d🚀"],
  ["##ing", "##ing"],
  ["<b>x</b>", "<b>x</b>"],
])("shows %j as %j", (token, shown) => {
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
