import { describe, expect, it } from "vitest";
import type { Change } from "../wire/types";
import { addChange, chooseHead, headOf, type ModelLook, rerun, runOf, STATISTICS, togglePin } from "./model";
import { modelFields } from "./modelurl";
import { startingPage } from "./page";
import { readAddress, stateFields, writeAddress } from "./url";

const ODD = ["study", "a/b:c,d&e=f#g%h", "*", "'", " x\n", "日本語", "<b>", "\u202e", ""];
const CHANGES: Change[] = [
  { kind: "mask" },
  { kind: "scale", tower: "encoder" },
  { kind: "off", tower: "", layer: 0, head: 11 },
  { kind: "off", tower: "*", layer: 3 },
  { kind: "weight", layer: 2, head: 1, query: 7, key: 0, value: 0.30000000000000004 },
];

/** A telling value for every field: a field without an entry here does not compile. */
const LOOKS: { [K in keyof Required<ModelLook>]: NonNullable<ModelLook[K]>[] } = {
  model: ODD.filter((one) => one !== ""),
  ...{ text: ODD, decoder: ODD, tower: ODD },
  ...{ generate: [0, 40], batch: [1], layer: [0, 29], head: [0, 8], query: [0, 511] },
  changes: [[], CHANGES, ...CHANGES.map((one) => [one])],
  pins: [[], [0], [3, 1, 2]],
  show: ["map", "lines"],
  values: ["weights", "contribution"],
  ends: ["one", "largest"],
  colour: [...STATISTICS],
  ...{ worked: [true, false], through: [true, false] },
  number: [{ quantity: "weights", index: [7, 2] }],
  zoom: [
    { row: 0, column: 32767, size: 0.02185 },
    { row: 7, column: 0, size: 48 },
  ],
  pool: ["mean", "largest"],
  shade: ["linear", "log"],
};

describe("the address of a model", () => {
  it.each(Object.entries(LOOKS))("gives back its %s", (name, values) => {
    for (const value of values) {
      const page = { ...startingPage("dog"), model: { model: "study", [name]: value } };
      const url = new URL("http://127.0.0.1/");
      url.hash = writeAddress(page);
      const read = readAddress(url.hash, "another");
      expect(read).toEqual({ page, problem: null });
    }
  });

  it("has one codec for every field, and no key of the page above", () => {
    expect(Object.keys(modelFields).sort()).toEqual(Object.keys(LOOKS).sort());
    const keys = Object.values(modelFields).map(([key]) => key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of ["layer", ...Object.keys(stateFields)]) expect(keys).not.toContain(key);
  });

  it.each([
    ["changes=weight:*:1:0:2", "its changes holds “weight:*:1:0:2” where kind:tower:layer:head was expected"],
    ["changes=mask:*:*:*:1:2:3", "was expected"],
    ["changes=less:*:*:*", "its changes says “less” where mask, scale, off or weight was expected"],
    ["statistic=red", "its statistic says “red” where entropy,"],
    ["zoom=1:2", "its zoom holds “1:2” where row:column:pixels of a cell was expected"],
    ["zoom=1:2:0", "where row:column:pixels of a cell was expected"],
    ["pins=1,x", "its pins holds “x” where a whole number from 0 was expected"],
  ])("tells what is wrong with %s and keeps the rest", (bad, reason) => {
    const { page, problem } = readAddress(`model=study&${bad}&head=2`, "dog");
    expect(problem).toContain(reason);
    expect(page.model).toMatchObject({ model: "study", head: 2 });
  });

  it("is nothing without a model", () => {
    expect(readAddress("head=2", "dog").page.model).toBeUndefined();
  });
});

const LOOK: ModelLook = {
  ...{ model: "study", text: "a b", layer: 1, head: 2, query: 1, pins: [1], worked: true },
  ...{ changes: [CHANGES[0]!, CHANGES[4]!], number: { quantity: "Q", index: [0, 0] } },
};

describe("a look at a model", () => {
  it("asks the same of the model whatever head is shown", () => {
    expect(runOf(chooseHead(LOOK, "", 0, 0))).toEqual(runOf(LOOK));
    expect(headOf(LOOK)).toEqual({ ...runOf(LOOK), layer: 1, head: 2 });
  });

  it("keeps the query in another head, and not in another tower", () => {
    expect(chooseHead(LOOK, "", 0, 0)).toMatchObject({ query: 1, pins: [1], layer: 0, head: 0 });
    expect(chooseHead(LOOK, "", 0, 0).number).toBeUndefined();
    const there = chooseHead({ ...LOOK, tower: "decoder" }, "encoder", 0, 0);
    expect([there.query, there.pins]).toEqual([undefined, undefined]);
  });

  it("keeps head and switches for another text, but not places in the old one", () => {
    expect(rerun(LOOK, { text: "c" })).toEqual({
      ...{ model: "study", text: "c", layer: 1, head: 2, worked: true, changes: [CHANGES[0]] },
    });
  });

  it("keeps everything while the text is the same", () => {
    expect(rerun(LOOK, { text: LOOK.text, decoder: undefined })).toEqual(LOOK);
  });

  it("keeps neither for another model", () => {
    expect(rerun(LOOK, { model: "other", text: "c" })).toEqual({ model: "other", text: "c", worked: true });
  });

  it("pins at most eight tokens", () => {
    expect(togglePin([1, 2], 2)).toEqual([1]);
    expect(togglePin([1], 2)).toEqual([1, 2]);
    expect(togglePin([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBeNull();
    expect(togglePin([0, 1, 2, 3, 4, 5, 6, 7], 7)).toHaveLength(7);
  });

  it("has one change of a kind at a place", () => {
    const weight = (value: number): Change => ({ kind: "weight", head: 1, query: 0, key: 0, value });
    expect(addChange([weight(0.5)], weight(1))).toEqual([weight(1)]);
    expect(addChange([weight(0.5)], { ...weight(1), key: 1 })).toHaveLength(2);
    expect(addChange(undefined, { kind: "mask" })).toEqual([{ kind: "mask" }]);
  });
});
