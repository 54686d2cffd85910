import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Arithmetic, Explanation } from "../wire/types";
import { type ExplanationPanel, explanationPanel } from "./arithmetic";
import { expression } from "./expression";

const cell = (index: number[], text: string): Arithmetic => ({
  kind: "cell",
  text,
  label: `Q[${index}]`,
  quantity: "Q",
  index,
});
const number = (text: string): Arithmetic => ({ kind: "number", text });

const SUM: Explanation = {
  kind: "explanation",
  quantity: "scores",
  index: [0, 2, 1],
  label: "scores[0,2,1]",
  place: "head 0, query 2 “<i>x</i>”, key 1 “dog”",
  value: "0.30",
  full: "0.30000000000000004",
  formula: ["mi", "s"],
  terms: [
    {
      label: "feature 0",
      arithmetic: { kind: "product", factors: [cell([0, 2, 0], "0.50"), number("−2")] },
      relation: "=",
      value: "−1",
    },
    { label: "feature 1", arithmetic: cell([0, 2, 1], "1.30"), relation: "≈", value: "1.30" },
  ],
  total: { relation: "≈", text: "0.30" },
  lines: [{ relation: "≈", arithmetic: number("0.30") }],
  sources: [],
  feeds: [
    {
      quantity: "scaled",
      cells: [
        [0, 2, 1],
        [0, null, 1],
      ],
    },
  ],
  spoken: "two terms sum to about 0.30",
  text: "",
  latex: "",
};

let panel: ExplanationPanel;
const handlers = { openCell: vi.fn(), close: vi.fn(), setDigits: vi.fn(), showFeeds: vi.fn(), copy: vi.fn() };
const find = (selector: string) => panel.element.querySelector(selector) as HTMLElement;
const buttonNamed = (name: string) =>
  [...panel.element.querySelectorAll("button")].find((b) => b.textContent === name) as HTMLElement;

beforeEach(() => {
  vi.resetAllMocks();
  panel = explanationPanel(handlers);
  document.body.append(panel.element);
});
afterEach(() => panel.element.remove());

describe("the panel", () => {
  it("is closed until it shows something, and again after hide", () => {
    expect(find("section").hidden).toBe(true);
    panel.show(SUM, [SUM]);
    expect(find("section").hidden).toBe(false);
    panel.hide();
    expect(find("section").hidden).toBe(true);
  });

  it("names the cell as text and speaks one sentence", () => {
    panel.show(SUM, [SUM]);
    expect(find("h2").textContent).toBe("scores[0,2,1] head 0, query 2 “<i>x</i>”, key 1 “dog”");
    expect(find("h2 i")).toBeNull();
    expect(find("[role=status]").textContent).toBe(SUM.spoken);
  });

  it("shows each term with the delivered relation, and the total with its own", () => {
    panel.show(SUM, [SUM]);
    const values = [...panel.element.querySelectorAll(".term-value")].map((td) => td.textContent);
    expect(values).toEqual(["= −1", "≈ about  1.30", "≈ about  0.30"]);
    expect(panel.element.querySelectorAll(".result-value").length).toBe(0);
  });

  it("folds the small ones of many terms into one line, which unfolds", () => {
    panel.show({ ...SUM, more: { first: 1, count: 1, zeros: 0, text: "1.30" } }, [SUM]);
    const rest = buttonNamed("and 1 more that add up to");
    const hidden = () =>
      [...panel.element.querySelectorAll<HTMLElement>(".terms tbody")].map((one) => one.hidden);
    expect(rest.closest("tr")?.textContent).toContain("1.30");
    expect(hidden()).toEqual([false, false, true]);
    rest.click();
    expect(hidden()).toEqual([false, false, false]);
    expect(rest.getAttribute("aria-expanded")).toBe("true");
  });

  it("opens a factor's cell", () => {
    panel.show(SUM, [SUM]);
    find(".cell-button").click();
    expect(handlers.openCell.mock.calls).toEqual([[{ quantity: "Q", index: [0, 2, 0] }]]);
  });

  it("says the result after its lines, and the full digits on demand", () => {
    const lines: Explanation["lines"] = [
      { relation: "=", arithmetic: { kind: "exp", of: number("−1.20") } },
      { relation: "≈", arithmetic: number("0.30") },
    ];
    panel.show({ ...SUM, terms: [], total: undefined, lines }, [SUM]);
    expect(panel.element.querySelectorAll(".line").length).toBe(1);
    expect(find(".result").textContent).toBe("≈0.30full precision0.30000000000000004");
  });

  it("says a given number once, however many decimals it is shown with", () => {
    const lines: Explanation["lines"] = [{ relation: "=", arithmetic: number("1") }];
    panel.show({ ...SUM, terms: [], total: undefined, lines, value: "1.00", full: "1" }, [SUM]);
    expect(panel.element.querySelectorAll(".line").length).toBe(0);
    expect(find(".result").textContent).toBe("=1.00full precision1");
  });

  it("can be made smaller and larger again, and stays so for the next cell", () => {
    panel.show(SUM, [SUM]);
    const fold = find(".fold");
    expect(fold.textContent).toBe("less of the arithmetic");
    fold.click();
    panel.show({ ...SUM, label: "scores[0,2,2]", index: [0, 2, 2] }, [SUM]);
    expect(find(".arithmetic").classList.contains("folded")).toBe(true);
    expect(fold.textContent).toBe("more of the arithmetic");
    fold.click();
    expect(find(".arithmetic").classList.contains("folded")).toBe(false);
  });

  it("cuts a word that would bury the arithmetic, and has it whole in the title", () => {
    const [place, label] = [`query 2 “${"x".repeat(10_000)}”, key 1 “dog”`, `key 0 “${"y".repeat(41)}”`];
    panel.show({ ...SUM, place, terms: [{ ...SUM.terms[0]!, label }] }, [SUM]);
    expect(find(".arithmetic-place").textContent).toBe(`query 2 “${"x".repeat(40)}…”, key 1 “dog”`);
    expect(find(".arithmetic-place bdi").title).toBe(place);
    expect(find(".terms tbody th").textContent).toBe(`key 0 “${"y".repeat(40)}…”`);
    expect(find(".terms tbody th bdi").title).toBe(label);
  });

  it("shows the trail from the second step on, and leads back", () => {
    panel.show(SUM, [SUM]);
    expect(find(".trail ol")).toBeNull();
    panel.show(SUM, [{ quantity: "weights", index: [0, 1, 1] }, SUM]);
    expect(find("[aria-current]").textContent).toBe("scores[0,2,1]");
    buttonNamed("weights[0,1,1]").click();
    expect(handlers.openCell.mock.calls).toEqual([[{ quantity: "weights", index: [0, 1, 1] }]]);
  });

  it("gives the focus of a button that goes away to the title", () => {
    panel.show(SUM, [SUM]);
    find(".cell-button").focus();
    panel.show({ ...SUM, label: "Q[0,2,0]", quantity: "Q", index: [0, 2, 0] }, [SUM]);
    expect(document.activeElement).toBe(find("h2"));
  });

  it("leaves the focus alone when it is elsewhere", () => {
    panel.show(SUM, [SUM]);
    expect(panel.element.contains(document.activeElement)).toBe(false);
  });

  it("tells where the cell goes, whole rows by name only", () => {
    panel.show(SUM, [SUM]);
    buttonNamed("where does it go").click();
    expect(handlers.showFeeds.mock.calls).toEqual([[true]]);
    expect([...panel.element.querySelectorAll(".feeds li")].map((li) => li.textContent)).toEqual([
      "scaled[0,2,1]",
      "scaled[0,all,1]",
    ]);
    buttonNamed("scaled[0,2,1]").click();
    expect(handlers.openCell.mock.calls).toEqual([[{ quantity: "scaled", index: [0, 2, 1] }]]);
  });

  it("closes with Escape and with its button, and copies", () => {
    panel.show(SUM, [SUM]);
    find("h2").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    find(".close").click();
    expect(handlers.close).toHaveBeenCalledTimes(2);
    buttonNamed("copy as LaTeX").click();
    expect(handlers.copy.mock.calls).toEqual([["latex"]]);
  });
});

describe("an expression", () => {
  const read = (node: Arithmetic) => expression(node, () => undefined).textContent;

  it.each<[string, Arithmetic, string]>([
    [
      "a sum in a product",
      { kind: "product", factors: [{ kind: "sum", terms: [number("1"), number("2")] }, number("3")] },
      "(1 + 2) × 3",
    ],
    [
      "a product in a sum",
      { kind: "sum", terms: [{ kind: "product", factors: [number("1"), number("2")] }, number("3")] },
      "1 × 2 + 3",
    ],
    ["a negative number after a sign", { kind: "sum", terms: [number("−1"), number("−2")] }, "−1 + (−2)"],
    [
      "a difference on the right of a difference",
      {
        kind: "difference",
        left: number("1"),
        right: { kind: "difference", left: number("2"), right: number("3") },
      },
      "1 − (2 − 3)",
    ],
    ["a negative base", { kind: "power", base: number("−2"), exponent: number("3") }, "(−2) to the power 3"],
    ["e to a power", { kind: "exp", of: number("−∞") }, "e to the power −∞"],
    [
      "a fraction under a root",
      { kind: "root", of: { kind: "quotient", top: number("1"), bottom: number("2") } },
      "square root of 1 over 2",
    ],
    [
      "a function of two",
      { kind: "function", name: "max", arguments: [number("1"), number("2")] },
      "max(1, 2)",
    ],
    ["a magnitude", { kind: "function", name: "abs", arguments: [number("−2")] }, "absolute value of |−2|"],
    [
      "a named number",
      { kind: "root", of: { kind: "number", text: "4", symbol: "d_head" } },
      "square root of 4, d_head",
    ],
    ["an empty sum", { kind: "sum", terms: [] }, "0"],
  ])("writes %s", (_name, node, text) => {
    expect(read(node)).toBe(text);
  });

  it("leaves the names of cells to their titles where there are many", () => {
    const terms = [0, 1, 2, 3].map((i) => cell([i], "1.00"));
    expect(expression({ kind: "sum", terms }, () => undefined).classList.contains("many")).toBe(true);
    expect(
      expression({ kind: "sum", terms: terms.slice(1) }, () => undefined).classList.contains("many"),
    ).toBe(false);
  });
});
