import { describe, expect, it } from "vitest";
import { judged, onKeptStep, placeOf } from "./keptsteps";
import { startingPage } from "./page";
import { readAddress } from "./url";

const KEPT = [0, 5, 11];
const read = (address: string, steps?: number[]) => onKeptStep(readAddress(address, "he"), steps);

describe("a page whose host holds some steps of a training", () => {
  it.each([
    [0, 0],
    [4, 0],
    [5, 5],
    [7, 5],
    [1000, 11],
  ])("asked for step %i stands on step %i", (asked, kept) => {
    const { page, problem } = read(`step=${asked}`, KEPT);
    expect(page).toEqual({ ...startingPage("he"), state: { example: "he", step: kept } });
    expect(problem).toBe(asked === kept ? null : `Step ${asked} was not kept; this is step ${kept}.`);
  });

  it("says beside it what of the link could not be read", () => {
    const { problem } = read("step=7&mask=x", KEPT);
    expect(problem).toMatch(/^Part of this link .* its mask .*\. Step 7 was not kept; this is step 5\.$/);
  });

  it("stays at the step that it begins with where the one asked for is none", () => {
    const { page, problem } = read("step=11&step=-1", KEPT);
    expect(page.state.step).toBe(11);
    expect(problem).toContain("its step holds “-1” where a whole number from 0 was expected");
  });

  it("compares with a step that was kept", () => {
    const { page } = read("step=5&compare=1&before=example%3Dhe%26step%3D4", KEPT);
    expect(page.before).toEqual({ example: "he", step: 0 });
  });

  it("is left as it is by a host that has every step, or has none", () => {
    for (const steps of [undefined, []]) expect(read("step=7", steps).page.state.step).toBe(7);
    expect(read("mask=causal", KEPT).page.state).toEqual({ example: "he", mask: "causal" });
  });
});

it("the place of a step is that of the last one that is not after it", () => {
  expect([0, 4, 5, 10, 11, 99].map((step) => placeOf(KEPT, step))).toEqual([0, 0, 1, 1, 2, 2]);
});

describe("a practice in a link", () => {
  const asked = () => readAddress("practice=softmax", "he");

  it("is left out, and that is said, where nobody can judge it", () => {
    const { page, problem } = judged(asked(), { holds: () => false });
    expect(page.practice).toBeNull();
    expect(problem).toBe("This page has no practice, so every number is shown.");
  });

  it("is begun where a session judges it", () => {
    expect(judged(asked(), {})).toEqual(asked());
    expect(judged(asked(), { holds: () => true })).toEqual(asked());
  });
});
