import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type WordChips, wordChips } from "./chips";

let chips: WordChips;
const handlers = { replaceWord: vi.fn(), removeWord: vi.fn(), moveWord: vi.fn(), addWord: vi.fn() };
const chip = (at: number) => chips.element.querySelectorAll("li")[at]?.querySelector("button") as HTMLElement;
const input = () => chips.element.querySelector("input") as HTMLInputElement;
const press = (element: Element, key: string, init: KeyboardEventInit = {}) =>
  element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init }));

beforeEach(() => {
  vi.resetAllMocks();
  chips = wordChips(["the", "dog", "<b>x</b>"], handlers);
  document.body.append(chips.element);
});
afterEach(() => chips.element.remove());

it("shows each word once, as text, with its position", () => {
  const shown = [...chips.element.querySelectorAll(".chip")].map((item) => item.textContent);
  expect(shown).toEqual(["0 the", "1 dog", "2 <b>x</b>", "+ word"]);
  expect(chip(1).getAttribute("aria-label")).toBe("position 1, dog, edit");
});

it("replaces a word with Enter", () => {
  chip(1).click();
  expect(document.activeElement).toBe(input());
  input().value = "cat";
  press(input(), "Enter");
  expect(handlers.replaceWord.mock.calls).toEqual([[1, "cat"]]);
  expect(input()).toBeNull();
});

it("keeps the word with Escape, and when nothing was typed", () => {
  chip(1).click();
  input().value = "cat";
  press(input(), "Escape");
  chip(1).click();
  press(input(), "Enter");
  expect(handlers.replaceWord).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(chip(1));
});

it("does not take an empty word", () => {
  chip(3).click();
  press(input(), "Enter");
  expect(input().getAttribute("aria-invalid")).toBe("true");
  input().value = "fox";
  press(input(), "Enter");
  expect(handlers.addWord.mock.calls).toEqual([["fox"]]);
});

it("offers the words that have a row and are not in the sentence, as text", () => {
  chips.know(["the", "dog", "a", "<i>y</i>"]);
  chip(3).click();
  const offers = [...chips.element.querySelectorAll<HTMLElement>(".known-words button")];
  expect(offers.map((offer) => offer.textContent)).toEqual(["a", "<i>y</i>"]);
  offers[1]?.click();
  expect(handlers.addWord.mock.calls).toEqual([["<i>y</i>"]]);
  expect(chips.element.querySelector(".known-words")).toBeNull();
});

it("moves with Alt and the arrows, inside the sentence only", () => {
  press(chip(1), "ArrowLeft", { altKey: true });
  press(chip(0), "ArrowLeft", { altKey: true });
  press(chip(2), "ArrowRight", { altKey: true });
  expect(handlers.moveWord.mock.calls).toEqual([[1, 0]]);
});

it("keeps the focus on the word that was moved", () => {
  chip(1).focus();
  press(chip(1), "ArrowRight", { altKey: true });
  chips.update(["the", "<b>x</b>", "dog"]);
  expect(document.activeElement).toBe(chip(2));
});

it("removes with Delete and with the button, never the last word", () => {
  press(chip(0), "Delete");
  chip(2).click();
  (chips.element.querySelector("[title=remove]") as HTMLElement).click();
  expect(handlers.removeWord.mock.calls).toEqual([[0], [2]]);
  chips.update(["the"]);
  press(chip(0), "Delete");
  chip(0).click();
  expect((chips.element.querySelector("[title=remove]") as HTMLButtonElement).disabled).toBe(true);
  expect(handlers.removeWord).toHaveBeenCalledTimes(2);
});
