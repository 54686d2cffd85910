import { expect, it } from "vitest";
import { createScatter, type ScatterModel } from "./scatter";

const MODEL: ScatterModel = {
  label: "two words",
  words: ["he", "<b>she</b>"],
  points: new Float64Array([0, 0, 4, 0, 1, 0, 4, 2]),
  at: 0,
  strong: new Set(["he"]),
  axes: ["first", "second"],
};

const way = (element: HTMLElement, word: number) =>
  (element.querySelectorAll(".trail")[word]?.getAttribute("points") ?? "")
    .split(" ")
    .map((point) => point.split(",").map(Number));

it("draws the way of each word up to the moment that is shown, on one scale for the whole time", () => {
  const scatter = createScatter(MODEL);
  expect(way(scatter.element, 1)).toHaveLength(1);
  const [start] = way(scatter.element, 1);
  scatter.update({ ...MODEL, at: 1 });
  const [again, now] = way(scatter.element, 1);
  expect(again).toEqual(start);
  // The first direction runs to the right, the second upwards, and both have the same scale.
  const [he] = way(scatter.element, 0);
  const unit = (start![0]! - he![0]!) / 4;
  expect(now![0]).toBeCloseTo(start![0]!, 1);
  expect(start![1]! - now![1]!).toBeCloseTo(2 * unit, 1);
});

it("shows words as text, those of the sentence in full", () => {
  const { element } = createScatter(MODEL);
  expect(element.querySelector("b")).toBeNull();
  const words = [...element.querySelectorAll(".scatter-word")];
  expect(words.map((word) => [word.textContent, word.classList.contains("strong")])).toEqual([
    ["he", true],
    ["<b>she</b>", false],
  ]);
  expect(element.querySelectorAll(".dot.strong")).toHaveLength(1);
});

it("names all words of the sentence in a crowd, and no other over them", () => {
  const words = Array.from({ length: 40 }, (_, i) => `word${i}`);
  const strong = new Set(["word38", "word39"]);
  const { element } = createScatter({ ...MODEL, words, strong, points: new Float64Array(80) });
  const named = [...element.querySelectorAll(".scatter-word")].map((word) => word.textContent);
  expect(named).toEqual(expect.arrayContaining([...strong]));
  expect(named.length).toBeLessThan(12);
  expect(element.querySelectorAll(".dot")).toHaveLength(40);
});

it("stands still where all words are one point", () => {
  const { element } = createScatter({ ...MODEL, points: new Float64Array(8) });
  expect(way(element, 0).flat().every(Number.isFinite)).toBe(true);
});
