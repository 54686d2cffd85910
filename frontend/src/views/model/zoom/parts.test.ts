import { describe, expect, it } from "vitest";
import type { Look, ModelToken } from "../../../wire/types";
import { textFinder } from "./finding";
import { binText, lookText, placeText } from "./readout";
import { PAGE, textPane } from "./textpane";
import { rowsOf, timeText, workingView } from "./working";

const tokens = (...texts: string[]): ModelToken[] => texts.map((text, i) => ({ text, start: i, end: i + 1 }));
const LOOK: Look = {
  kind: "look",
  query: 1,
  key: 0,
  weight: 0.25,
  score: 0.5,
  lse: 1.75,
  hidden: "",
  entropy: 1,
  top: [],
};

describe("the search in a long text", () => {
  const find = textFinder();
  const text = tokens("The", " at", "ten", "tion", " of", " at", "ten", "tion");

  it("finds words that are cut into tokens, where each begins", () => {
    expect(find(text, "attention")).toEqual([1, 5]);
    expect(find(text, "TENTION o")).toEqual([2]);
    expect(find(text, "ion")).toEqual([3, 7]);
    expect(find(text, "none")).toEqual([]);
    expect(find(text, " ")).toEqual([]);
  });

  it("finds a token by its number", () => {
    expect(find(text, "7")).toEqual([7]);
    expect(find(text, "8")).toEqual([]);
  });
});

describe("the text", () => {
  it("is a page at a time, however long it is, and leads to rows and columns", () => {
    const went: unknown[] = [];
    const pane = textPane((axis, at) => went.push([axis, at]));
    document.body.replaceChildren(pane.element);
    const all = tokens(...Array.from({ length: 32749 }, (_, i) => ` w${i}`));
    pane.update(all, all, { row: [], column: [] });
    expect(pane.element.querySelectorAll(".zoom-token")).toHaveLength(PAGE);
    pane.mark(1000, 20);
    expect(pane.element.querySelector("[aria-current]")?.textContent).toBe("w1000");
    pane.element.querySelector<HTMLElement>("[data-at='1001']")?.click();
    pane.element.querySelector<HTMLInputElement>("input[value=column]")?.click();
    expect(pane.element.querySelector("[aria-current]")?.textContent).toBe("w20");
    pane.element.querySelector<HTMLElement>("[data-at='21']")?.click();
    expect(went).toEqual([
      ["row", 1001],
      ["column", 21],
    ]);
  });

  it("is never markup", () => {
    const pane = textPane(() => undefined);
    pane.update(tokens("<b>x</b>", "\u202e"), tokens("y"), { row: [], column: [] });
    expect(pane.element.querySelector("b")).toBeNull();
    expect(pane.element.querySelector(".zoom-text")?.textContent).toContain("<b>x</b>‹U+202E›");
  });
});

describe("what is said of a cell", () => {
  it("is how its weight comes about, or why there is none", () => {
    expect(lookText(LOOK, "full")).toBe("weight 0.25 = exp(score 0.5 − log-sum-exp 1.75)");
    expect(lookText({ ...LOOK, hidden: "Key 7 comes later." }, 2)).toBe("hidden: Key 7 comes later");
    expect(lookText({ ...LOOK, weight: null, lse: null }, 2)).toContain("no number");
  });

  it("names both tokens, and what its colour stands for where that is another number", () => {
    const labels = [
      { text: "a", position: 0 },
      { text: " b", position: 1 },
    ];
    expect(placeText({ row: 1, column: 0 }, labels, labels)).toBe("1 ␣b → 0 a");
    expect(binText({ rows: 1, columns: 1, value: 1, pool: "mean" }, 2)).toBe("");
    expect(binText({ rows: 3, columns: 5, value: 0.5, pool: "mean" }, 2)).toContain(
      "the mean of 3 × 5 weights, 0.50",
    );
    expect(binText({ rows: 3, columns: 5, value: -1, pool: "largest" }, 2)).toContain("hidden");
  });
});

describe("a reading that is not done", () => {
  const layers = [{ label: "L0", tower: "", number: 0, heads: 2, thumbnails: 0 }];
  const data = {
    kind: "working",
    name: "m",
    what: "Looking.",
    done: 1,
    total: 7,
    unit: "heads",
    seconds: 65.4,
    layers,
  } as const;
  const answer = { data: { ...data, layers }, buffers: [new Uint8Array(2 * 24 * 24)] };

  it("shows the layers that are there, and how far it is", () => {
    const view = workingView();
    view.update(answer);
    expect(view.element.hidden).toBe(false);
    expect(view.element.querySelectorAll(".head-cell")).toHaveLength(2);
    expect(view.element.querySelector("progress")?.value).toBe(1);
    expect(view.element.textContent).toContain("1 of 7 heads, 1 min 5 s");
    view.update({ ...answer, data: { ...answer.data, total: 0 } });
    expect(view.element.querySelector("progress")?.hasAttribute("value")).toBe(false);
    view.update(null);
    expect(view.element.hidden).toBe(true);
  });

  it("draws no picture of the wrong size", () => {
    expect(rowsOf({ ...answer, buffers: [new Uint8Array(5)] })[0]?.thumbnails).toBeNull();
    expect(rowsOf(answer)[0]?.thumbnails).not.toBeNull();
    expect(timeText(59.9)).toBe("59 s");
  });
});
