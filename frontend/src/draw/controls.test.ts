import { afterEach, describe, expect, it, vi } from "vitest";
import { button, notice, switches, toggleButton } from "./controls";
import { dialog, textField } from "./dialog";
import { pipelineBar } from "./pipeline";

afterEach(() => document.body.replaceChildren());

describe("switches", () => {
  const options = [
    { value: "none", label: "none" },
    { value: "causal", label: "causal", disabled: true, hint: "not for one word" },
  ];

  it("is a radio group with one checked", () => {
    const onChange = vi.fn();
    const mask = switches({ legend: "mask", options, value: "causal", onChange });
    document.body.append(mask.element);
    const inputs = [...mask.element.querySelectorAll("input")];
    expect(mask.element.querySelector("legend")?.textContent).toBe("mask");
    expect(inputs.map((input) => [input.type, input.checked, input.disabled])).toEqual([
      ["radio", false, false],
      ["radio", true, true],
    ]);
    inputs[0]?.click();
    expect(onChange.mock.calls).toEqual([["none"]]);
    mask.set("causal");
    expect(inputs.map((input) => input.checked)).toEqual([false, true]);
  });

  it("says why a choice is closed", () => {
    const mask = switches({ legend: "mask", options, value: "none", onChange: () => undefined });
    expect(mask.element.textContent).toContain("causal, not for one word");
  });

  it("takes other choices", () => {
    const heads = switches<number>({
      legend: "heads",
      options: [{ value: 1, label: "1" }],
      value: 1,
      onChange: () => undefined,
    });
    heads.setOptions(
      [
        { value: 1, label: "1" },
        { value: 2, label: "2" },
      ],
      2,
    );
    expect([...heads.element.querySelectorAll("input")].map((input) => input.checked)).toEqual([false, true]);
  });

  it("two groups never share a name", () => {
    const [a, b] = [1, 2].map(() =>
      switches({ legend: "x", options, value: "none", onChange: () => undefined }),
    );
    expect(a?.element.querySelector("input")?.name).not.toBe(b?.element.querySelector("input")?.name);
  });
});

it("a toggle asks for the other state and waits to be told", () => {
  const onChange = vi.fn();
  const compare = toggleButton("compare", false, onChange);
  compare.element.click();
  expect(onChange.mock.calls).toEqual([[true]]);
  expect(compare.element.getAttribute("aria-pressed")).toBe("false");
  compare.set(true);
  expect(compare.element.getAttribute("aria-pressed")).toBe("true");
});

it("a disabled button does nothing", () => {
  const onClick = vi.fn();
  button({ label: "undo", onClick, disabled: true }).click();
  expect(onClick).not.toHaveBeenCalled();
});

it.each([
  ["note", "status", "Note: <b>"],
  ["warning", "status", "Careful: <b>"],
  ["error", "alert", "Not possible: <b>"],
] as const)("a notice of kind %s has role %s and a word for its kind", (kind, role, text) => {
  const element = notice({ kind, text: "<b>" });
  expect(element.getAttribute("role")).toBe(role);
  expect(element.querySelector("p")?.textContent).toBe(text);
});

describe("dialog", () => {
  it("stays with one sentence while the answer is wrong, and closes when it is right", () => {
    const field = textField("a number", "x");
    const cancelled = vi.fn();
    const asking = dialog({
      title: "Which?",
      content: [field.element],
      confirm: "use it",
      onConfirm: () => (field.input.value === "1" ? null : "A number was expected."),
      onCancel: cancelled,
    });
    document.body.append(asking.element);
    asking.open();
    const submit = () =>
      asking.element.querySelector("form")?.dispatchEvent(new Event("submit", { cancelable: true }));
    submit();
    expect(asking.element.open).toBe(true);
    expect(asking.element.querySelector("[role=alert]")?.textContent).toBe("A number was expected.");
    field.input.value = "1";
    submit();
    expect(asking.element.open).toBe(false);
    expect(cancelled).not.toHaveBeenCalled();
  });
});

it("the pipeline bar marks one step and leads to any", () => {
  const jump = vi.fn();
  const bar = pipelineBar(
    [
      { id: "a", title: "A", short: "a" },
      { id: "b", title: "B", short: "b" },
    ],
    jump,
  );
  bar.current("a");
  bar.current("b");
  expect([...bar.element.querySelectorAll("[aria-current=step]")].map((step) => step.textContent)).toEqual([
    "b",
  ]);
  bar.element.querySelector("button")?.click();
  expect(jump.mock.calls).toEqual([["a"]]);
});
