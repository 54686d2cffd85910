import { describe, expect, it } from "vitest";
import type { MathML } from "../wire/types";
import { displayFormula, mathml } from "./mathml";

describe("mathml", () => {
  it("builds nested tags with attributes and text in the MathML namespace", () => {
    const math = mathml(["mfrac", ["mi", "a"], ["mo", { stretchy: "false" }, "("]]);
    expect(math.localName).toBe("math");
    expect(math.namespaceURI).toBe("http://www.w3.org/1998/Math/MathML");
    expect(math.firstElementChild?.localName).toBe("mfrac");
    expect(math.querySelector("mo")?.getAttribute("stretchy")).toBe("false");
    expect(math.textContent).toBe("a(");
  });

  it("does not wrap what is already math", () => {
    expect(mathml(["math", ["mi", "x"]]).querySelector("math")).toBeNull();
  });

  it("shows markup in a leaf as text", () => {
    const math = mathml(["mtext", "<script>alert(1)</script>"]);
    expect(math.querySelector("script")).toBeNull();
    expect(math.textContent).toBe("<script>alert(1)</script>");
  });

  it.each<[string, unknown]>([
    ["a tag that is not listed", ["script", "x"]],
    ["a link", ["a", { href: "x" }, "x"]],
    ["annotation-xml, which can hold HTML", ["annotation-xml", ["mi", "x"]]],
    ["an attribute that is not listed", ["mi", { href: "javascript:alert(1)" }, "x"]],
    ["a listener", ["mi", { onclick: "alert(1)" }, "x"]],
    ["a style", ["mi", { style: "color:red" }, "x"]],
    ["an attribute value with punctuation", ["mi", { mathvariant: "url(x)" }, "x"]],
    ["an attribute value that is no text", ["mi", { width: 3 }, "x"]],
    ["attributes that are not second", ["mrow", ["mi", "x"], { width: "1" }]],
    ["a number as a child", ["mn", 3]],
    ["nothing", []],
  ])("refuses %s", (_name, node) => {
    expect(() => mathml(node as MathML)).toThrow(TypeError);
  });
});

it("a sum of many parts takes a line for each, and says the same", () => {
  const name = (text: string): MathML => ["mi", text];
  const sum = (...names: string[]): MathML => [
    "math",
    [
      "mrow",
      name("s"),
      ["mo", "="],
      ["mrow", ...names.flatMap((one) => [["mo", "+"] as MathML, name(one)]).slice(1)],
    ],
  ];
  const written = (node: MathML) =>
    [...displayFormula(node).children].map((line) => [line.localName, line.textContent]);
  expect(written(sum("a", "b"))).toEqual([["math", "s=a+b"]]);
  expect(written(sum("a", "b", "c"))).toEqual([
    ["math", "s=a"],
    ["math", "+b"],
    ["math", "+c"],
  ]);
});

it("a display formula is a block", () => {
  expect(displayFormula(["mi", "x"]).querySelector("math")?.getAttribute("display")).toBe("block");
});
