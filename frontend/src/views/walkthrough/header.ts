import { type Switches, switches, type Theme, themeSwitch } from "../../draw/controls";
import { h, replace, uniqueId } from "../../draw/dom";
import type { Digits, ExampleSummary } from "../../wire/types";

const DIGITS = ([2, 3, 4, "full"] as const).map((value) => ({ value, label: String(value) }));

export interface PageHeader {
  element: HTMLElement;
  setExamples(examples: readonly ExampleSummary[], chosen: string): void;
  setDigits(digits: Digits): void;
}

export interface HeaderHandlers {
  chooseExample(name: string): void;
  setDigits(digits: Digits): void;
  setTheme(theme: Theme): void;
}

/** The name of the page, and how it is shown. */
export function pageHeader(theme: Theme, handlers: HeaderHandlers): PageHeader {
  const id = uniqueId("example");
  const picker = h("select", {
    id,
    class: "example-picker",
    onchange: () => handlers.chooseExample(picker.value),
  });
  const digits: Switches<Digits> = switches<Digits>({
    legend: "decimals",
    options: DIGITS,
    value: 2,
    onChange: handlers.setDigits,
  });
  const themes = themeSwitch(theme, handlers.setTheme);
  const choice = h("div", { class: "example-choice" }, h("label", { for: id }, "example"), picker);
  const element = h(
    "header",
    { class: "page-header" },
    h(
      "p",
      { class: "brand" },
      h("strong", null, "Clearhead"),
      " ",
      h("span", null, "every number inside attention, and where it came from"),
    ),
    h("div", { class: "page-controls" }, choice, digits.element, themes.element),
  );

  return {
    element,
    setExamples(examples, chosen) {
      const named = examples.some((example) => example.name === chosen);
      choice.hidden = examples.length === 1 && named;
      const options = examples.map((example) => h("option", { value: example.name }, example.title));
      if (!named) options.unshift(h("option", { value: chosen }, chosen));
      replace(picker, options);
      picker.value = chosen;
    },
    setDigits: (value) => digits.set(value),
  };
}
