import { expect, it, vi } from "vitest";
import { loopMap } from "./loop";

const STEPS = [
  { id: "update", short: "Update", gradients: null },
  { id: "scores", short: "Scores", gradients: "dscores" },
  { id: "loss", short: "Loss", gradients: null },
];

it("goes forwards to the loss, back beneath it, and round through the update", () => {
  const jump = vi.fn();
  const map = loopMap(STEPS, jump);
  const names = (selector: string) =>
    [...map.querySelectorAll(`${selector} button`)].map((button) => button.textContent);
  expect(names(".loop-forward")).toEqual(["Scores", "Loss"]);
  expect(names(".loop-backward")).toEqual(["dscores, backwards through Scores"]);
  for (const button of map.querySelectorAll("button")) button.click();
  expect(jump.mock.calls).toEqual([
    ["update", false],
    ["scores", false],
    ["loss", false],
    ["scores", true],
  ]);
});

it("is a way without a ring where nothing is updated", () => {
  const map = loopMap(STEPS.slice(1), () => undefined);
  expect(map.querySelector(".loop-update")).toBeNull();
  expect(map.querySelectorAll(".loop-forward li")).toHaveLength(2);
});
