import { describe, expect, it } from "vitest";
import { beginning, noAddress } from "./address";

const at = (given: string, text: string) => beginning({ ...noAddress(), read: () => given }, text).read();

describe("the address of a page that holds one thing", () => {
  const kept = "example=two-heads&training=sgd:0.1:50&step=50";

  it.each([
    ["", kept],
    ["cell=weights:0:1:0", `${kept}&cell=weights:0:1:0`],
    ["step=7", `${kept}&step=7`],
    ["example=three-words&step=7", `${kept}&step=7`],
    ["model=gpt2&foo", `${kept}&foo`],
  ])("is about that, whatever is asked for: %s", (given, whole) => {
    expect(at(given, kept)).toBe(whole);
  });

  it("takes a layer for one of the model that it is about", () => {
    expect(at("layer=1&head=2", "model=mine")).toBe("model=mine&block=1&head=2");
    expect(at("layer=1&step=7", kept)).toBe(`${kept}&layer=1&step=7`);
  });

  it("begins with what it was saved to show, and is as a link says where one says anything", () => {
    const saved = `${kept}&layer=1&cell=weights:0:1:0`;
    expect(at("", saved)).toBe(saved);
    expect(at("step=7", saved)).toBe(`${kept}&step=7`);
  });

  it("is written without what the page is about", () => {
    const written: string[] = [];
    const page = beginning({ ...noAddress(), write: (text) => written.push(text) }, kept);
    page.write(`${kept}&cell=loss`, false);
    page.write("example=two-heads&model=gpt2", false);
    expect(written).toEqual(["step=50&cell=loss", ""]);
  });

  it("is so, too, when a link is opened in it", () => {
    const heard: string[] = [];
    const page = beginning(
      { ...noAddress(), onArrival: (listener) => listener("block=1&head=2") },
      "model=a%20capture",
    );
    page.onArrival((text) => heard.push(text), new AbortController().signal);
    expect(heard).toEqual(["model=a%20capture&block=1&head=2"]);
  });
});
