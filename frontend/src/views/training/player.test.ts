import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Player, player } from "./player";

let calm = false;
let go = vi.fn();
let shown: Player;

beforeEach(() => {
  vi.useFakeTimers();
  calm = false;
  vi.stubGlobal("matchMedia", () => ({ matches: calm }));
  go = vi.fn();
  shown = player(go);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const button = () => shown.element.querySelector("button") as HTMLButtonElement;
const slider = () => shown.element.querySelector("input") as HTMLInputElement;

/** The page draws the step that was gone to. */
function follow(last = 4): void {
  const step = go.mock.calls.at(-1)?.[0] as number;
  shown.update(step, last, `step ${step}`);
  shown.arrived(step);
  vi.runAllTimers();
}

describe("the player", () => {
  it("has nothing to play where no step was kept, until one is", () => {
    shown.update(0, 0, "step 0 of 0");
    expect([button().disabled, slider().disabled]).toEqual([true, true]);
    shown.update(0, 3, "step 0 of 3");
    expect([button().disabled, slider().disabled]).toEqual([false, false]);
  });

  it("goes where the slider is moved, and says where that is", () => {
    shown.update(1, 4, "step 1 of 4: loss 0.50");
    expect(slider().getAttribute("aria-valuetext")).toBe("step 1 of 4: loss 0.50");
    slider().value = "3";
    slider().dispatchEvent(new Event("input"));
    expect(go.mock.calls).toEqual([[3]]);
  });

  it("plays from the beginning to the end, one drawn picture after the other", () => {
    shown.update(4, 4, "");
    button().click();
    expect(button().textContent).toBe("pause");
    for (let i = 0; i < 5; i++) follow();
    expect(go.mock.calls.flat()).toEqual([0, 1, 2, 3, 4]);
    expect(button().textContent).toBe("play");
  });

  it("waits for the picture of a step before it goes on", () => {
    shown.update(0, 4, "");
    button().click();
    vi.runAllTimers();
    shown.arrived(0);
    vi.runAllTimers();
    expect(go.mock.calls.flat()).toHaveLength(2);
    shown.update(2, 4, "");
    shown.arrived(1);
    vi.runAllTimers();
    expect(go.mock.calls.flat()).toHaveLength(2);
  });

  it("pauses and plays with the space key on the slider", () => {
    shown.update(0, 4, "");
    const space = new KeyboardEvent("keydown", { key: " ", cancelable: true });
    slider().dispatchEvent(space);
    expect(space.defaultPrevented).toBe(true);
    expect(button().textContent).toBe("pause");
    slider().dispatchEvent(new KeyboardEvent("keydown", { key: " ", cancelable: true }));
    expect(button().textContent).toBe("play");
  });

  it("takes few strides where motion is unwelcome", () => {
    calm = true;
    shown.update(0, 50, "");
    button().click();
    expect(go.mock.calls).toEqual([[5]]);
  });
});
