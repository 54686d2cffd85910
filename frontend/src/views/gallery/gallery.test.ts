import { beforeEach, expect, it } from "vitest";
import { mountGallery } from "./gallery";

let root: HTMLElement;

beforeEach(() => {
  root = document.createElement("div");
  document.body.replaceChildren(root);
  mountGallery(root);
});

it("shows every state that a matrix can have", () => {
  const states = [...root.querySelectorAll("[data-exhibit]")].map(
    (exhibit) => (exhibit as HTMLElement).dataset.exhibit,
  );
  expect(states).toEqual(
    expect.arrayContaining(["signed numbers", "masked with −∞", "masked with 0", "editing", "not a number"]),
  );
  for (const mark of ["masked", "changed", "opened", "source", "feeds"]) {
    expect(root.querySelector(`td.${mark}`), mark).not.toBeNull();
  }
});

it("leaves one field open for a good text and one for a wrong text", () => {
  const fields = [...root.querySelectorAll<HTMLInputElement>("td input")];
  expect(fields.map((field) => [field.value, field.getAttribute("aria-invalid")])).toEqual([
    ["1.25", null],
    ["1,25", "true"],
  ]);
});

it("shows tokens that look like markup as text", () => {
  expect(root.querySelector("b")).toBeNull();
  expect(root.textContent).toContain("<b>x</b>");
});

it("says that its numbers are samples", () => {
  expect(root.querySelector("header")?.textContent).toContain("sample data");
});
