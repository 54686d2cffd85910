import { expect, it } from "vitest";
import { adoptStyles, setTheme } from "./styles";
import theme from "./theme.css";

it("a root adopts the visual language once", () => {
  adoptStyles(document);
  const [first] = document.adoptedStyleSheets;
  adoptStyles(document);
  expect(document.adoptedStyleSheets).toEqual([first]);
});

it("a shadow root shares the document's sheet", () => {
  const shadow = document.createElement("div").attachShadow({ mode: "open" });
  adoptStyles(document);
  adoptStyles(shadow);
  expect(shadow.adoptedStyleSheets[0]).toBe(document.adoptedStyleSheets[0]);
});

it("the theme is an attribute, and none when it follows the system", () => {
  const element = document.createElement("div");
  setTheme(element, "dark");
  expect(element.dataset.theme).toBe("dark");
  setTheme(element, "auto");
  expect(element.hasAttribute("data-theme")).toBe(false);
});

it("there are five sizes of type", () => {
  expect(theme.match(/--size-\d:/g)).toEqual([
    "--size-1:",
    "--size-2:",
    "--size-3:",
    "--size-4:",
    "--size-5:",
  ]);
});
