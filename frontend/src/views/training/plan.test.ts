import { describe, expect, it, vi } from "vitest";
import { planForm, readPlan } from "./plan";

describe("a plan of training", () => {
  it.each([
    ["0.1", "50", { optimizer: "sgd", learning_rate: 0.1, steps: 50 }],
    [" 1e-3 ", " 1 ", { optimizer: "sgd", learning_rate: 0.001, steps: 1 }],
    ["1e6", "2000", { optimizer: "sgd", learning_rate: 1e6, steps: 2000 }],
  ])("of %j and %j is read", (rate, steps, plan) => {
    expect(readPlan("sgd", rate, steps)).toEqual(plan);
  });

  it.each([
    ["0", "50", "Learning rate: 0 is not above 0; a number above 0 such as 0.1 was expected."],
    ["-0.1", "50", "Learning rate: -0.1 is not above 0; a number above 0 such as 0.1 was expected."],
    ["1,5", "50", "Learning rate: “1,5” is not a number; a number above 0 such as 0.1 was expected."],
    ["NaN", "50", "Learning rate: “NaN” is not a number; a number above 0 such as 0.1 was expected."],
    ["0.1", "0", "Steps: “0” was given, and a whole number from 1 to 2000 was expected."],
    ["0.1", "2.5", "Steps: “2.5” was given, and a whole number from 1 to 2000 was expected."],
    ["0.1", "2001", "Steps: “2001” was given, and a whole number from 1 to 2000 was expected."],
    ["0.1", "", "Steps: “” was given, and a whole number from 1 to 2000 was expected."],
  ])("of %j and %j is refused in one sentence", (rate, steps, sentence) => {
    expect(readPlan("sgd", rate, steps)).toBe(sentence);
  });

  it("is started from the form, or its mistake is told there", () => {
    const start = vi.fn();
    const form = planForm(start);
    const [rate, steps] = [...form.element.querySelectorAll<HTMLInputElement>("input.text-input")];
    const submit = () => form.element.dispatchEvent(new Event("submit", { cancelable: true, bubbles: true }));
    rate!.value = "0";
    submit();
    expect(form.element.querySelector("[role=alert]")?.textContent).toContain("0 is not above 0");
    expect(start).not.toHaveBeenCalled();
    rate!.value = "0.5";
    steps!.value = "20";
    submit();
    expect(start.mock.calls).toEqual([[{ optimizer: "sgd", learning_rate: 0.5, steps: 20 }]]);
    form.explain("");
    expect(form.element.querySelector("[role=alert]")).toBeNull();
  });
});
