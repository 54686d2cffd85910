import { describe, expect, it } from "vitest";
import { attribute, h, replace, uniqueId } from "./dom";

describe("h", () => {
  it("shows markup in a child as text", () => {
    const element = h("p", null, "<b>x</b>");
    expect(element.children.length).toBe(0);
    expect(element.textContent).toBe("<b>x</b>");
  });

  it("flattens lists and leaves out what is nothing", () => {
    expect(h("p", null, "a", [null, ["b", false]], undefined, 0).textContent).toBe("ab0");
  });

  it("writes attributes, data, styles and listeners", () => {
    let clicks = 0;
    const props = {
      class: "c",
      hidden: true,
      title: undefined,
      dataset: { key: "k" },
      style: { "--a": "1" },
    };
    const element = h("button", { ...props, onclick: () => clicks++ });
    element.click();
    expect(clicks).toBe(1);
    expect(element.className).toBe("c");
    expect(element.hasAttribute("hidden")).toBe(true);
    expect(element.hasAttribute("title")).toBe(false);
    expect(element.dataset.key).toBe("k");
    expect(element.style.getPropertyValue("--a")).toBe("1");
  });

  it("refuses a listener given as text, which would be an inline script", () => {
    expect(() => h("p", { onclick: "alert(1)" as never })).toThrow("onclick must be a function");
  });
});

it("replace takes away what was there", () => {
  const element = h("p", null, "old");
  replace(element, "new");
  expect(element.textContent).toBe("new");
});

it("attribute with null removes", () => {
  const element = h("p", { title: "a" });
  attribute(element, "title", null);
  expect(element.hasAttribute("title")).toBe(false);
});

it("ids never repeat", () => {
  expect(uniqueId("a")).not.toBe(uniqueId("a"));
});
