import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTokenLines, linesOf, type TokenLinesModel } from "./tokenlines";

const labels = ["the", "<b>", "cat"].map((text, position) => ({ text, position }));
const MODEL: TokenLinesModel = {
  ...{ name: "weights", largest: 1, digits: 2, pins: [] },
  rows: { name: "query", labels },
  columns: { name: "key", labels },
  values: Float64Array.from([1, 0, 0, 0.25, 0.75, 0, 0.01, 0.5, 0.49]),
};

describe("the lines of a token", () => {
  it("leave out what is too thin, and put the widest on top", () => {
    expect(linesOf(MODEL, [2], null)).toEqual([
      { row: 2, column: 2, share: 0.49 },
      { row: 2, column: 1, share: 0.5 },
    ]);
  });

  it("can be those into one key, and are shares of the largest", () => {
    expect(linesOf({ ...MODEL, largest: 0.5 }, [0, 1, 2], 1).map(({ row, share }) => [row, share])).toEqual([
      [2, 1],
      [1, 1.5],
    ]);
  });
});

describe("the view of lines", () => {
  beforeEach(() => {
    vi.stubGlobal("requestAnimationFrame", () => 0);
    vi.stubGlobal("ResizeObserver", undefined);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  function made(part: Partial<TokenLinesModel> = {}) {
    const pin = vi.fn();
    const lines = createTokenLines({ ...MODEL, ...part }, { pin });
    document.body.replaceChildren(lines.element);
    const buttons = [...lines.element.querySelectorAll("button")];
    const says = () => lines.element.querySelector(".lines-says")?.textContent;
    return { lines, buttons, says, pin };
  }

  it("has one tab stop among its tokens, moved with the arrow keys", () => {
    const { buttons } = made();
    expect(buttons.map((one) => one.tabIndex)).toEqual([0, -1, -1]);
    buttons[0]?.focus();
    buttons[0]?.dispatchEvent(
      new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }),
    );
    expect(buttons.map((one) => one.tabIndex)).toEqual([-1, 0, -1]);
    expect(document.activeElement).toBe(buttons[1]);
  });

  it("shows only the lines of the token that is looked at, with its numbers", () => {
    const { lines, buttons, says } = made();
    expect(says()).toContain("Lines from every token: 5.");
    buttons[1]?.dispatchEvent(new PointerEvent("pointerenter"));
    expect(says()).toContain("Lines from 1 <b>: 2.");
    expect([...lines.element.querySelectorAll(".lines-weight")].map((one) => one.textContent)).toEqual([
      "0.25",
      "0.75",
      "0",
    ]);
  });

  it("marks what is pinned, and pins what is pressed", () => {
    const { buttons, pin, says } = made({ pins: [2] });
    expect(buttons.map((one) => one.getAttribute("aria-pressed"))).toEqual(["false", "false", "true"]);
    expect(says()).toContain("Lines from the pinned tokens: 2.");
    buttons[1]?.click();
    expect(pin).toHaveBeenCalledWith(1);
  });

  it("shows tokens as text", () => {
    expect(made().lines.element.querySelector("b")).toBeNull();
  });
});
