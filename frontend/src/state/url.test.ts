import { describe, expect, it } from "vitest";
import type { Edit, State } from "../wire/types";
import { type Page, startingPage } from "./page";
import { readAddress, stateFields, viewFields, writeAddress } from "./url";

const ODD_WORDS = [
  "the",
  "the cat",
  " leading",
  "trailing ",
  ".",
  "..",
  "a.b",
  "a,b",
  "a:b",
  "a&b",
  "a=b",
  "a#b",
  "a?b",
  "a/b",
  "a+b",
  "+",
  "100%",
  "%2C",
  "%",
  "\\",
  '"',
  "'",
  "<b>x</b>",
  "naïve",
  "Ὅμηρος",
  "日本語",
  "🐕",
  "👩‍👩‍👧",
  "\n",
  "\t",
  "\u202eright to left",
  "__proto__",
  "constructor",
  "0",
  "-1",
  "",
  "a".repeat(500),
];

const NUMBERS = [0, -0, 1, -1, 0.1, -0.30000000000000004, 1e21, 1e-7, 5e-324, -1.7976931348623157e308, 1 / 3];

function roundTrip(page: Page): Page {
  const address = writeAddress(page);
  const read = readAddress(`#${address}`, "another");
  expect(read.problem).toBeNull();
  return read.page;
}

function withState(state: Partial<State>): Page {
  const page = startingPage("the-dog");
  return { ...page, state: { ...page.state, ...state } };
}

const EDITS: Edit[] = NUMBERS.flatMap((value, i) => [
  { matrix: "E", row: ODD_WORDS[i]!, column: i, value },
  { matrix: "layer1.W_Q", row: i, column: 0, value },
  { matrix: "b_1", row: i, column: 0, value },
]);

/** At least one telling value for every field: a field without an entry here does not compile. */
const STATES: { [K in keyof Required<State>]: NonNullable<State[K]>[] } = {
  example: ODD_WORDS.filter((word) => word !== ""),
  tokens: [
    [],
    [""],
    ["", ""],
    ODD_WORDS,
    ...ODD_WORDS.map((word) => [word]),
    ...ODD_WORDS.map((word) => ["x", word, word]),
  ],
  rows: [
    {},
    { fox: NUMBERS },
    Object.fromEntries(ODD_WORDS.map((word, i) => [word, [i, -i / 3]])),
    { "": [] },
  ],
  edits: [[], EDITS, ...EDITS.map((edit) => [edit])],
  mask: ["none", "causal"],
  mask_fill: ["-inf", "0"],
  scale: [true, false],
  heads: [1, 2, 7],
  positions: ["none", "sinusoidal", "learned", "rotary", "alibi"],
  scale_embeddings: [true, false],
  norm: ["none", "layer", "rms"],
  norm_place: ["pre", "post"],
  activation: ["relu", "gelu", "gelu_tanh", "swiglu"],
  temperature: [0.5, 1, 1e21, 1 / 3],
  training: [
    { optimizer: "sgd", learning_rate: 0.1, steps: 50 },
    { optimizer: "adamw", learning_rate: 1e-7, steps: 0 },
  ],
  step: [0, 31],
};

const VIEWS: { [K in keyof Omit<Page, "state">]: Page[K][] } = {
  layer: [0, 1, 11],
  cell: [null, { quantity: "scores", index: [0, 3, 1] }, { quantity: "odd name:, &", index: [] }],
  digits: [2, 3, 4, "full"],
  compare: [true, false],
  before: [null, { example: "the-dog" }, { example: "a&b", tokens: ODD_WORDS, edits: EDITS, mask: "causal" }],
  feeds: [true, false],
  practice: [null, "scores"],
};

describe("an address", () => {
  for (const [field, values] of Object.entries(STATES)) {
    it(`gives back the state's ${field}`, () => {
      for (const value of values) {
        const page = withState({ [field]: value });
        expect(roundTrip(page)).toEqual(page);
      }
    });
  }

  for (const [field, values] of Object.entries(VIEWS)) {
    it(`gives back the view's ${field}`, () => {
      for (const value of values) {
        const page = { ...startingPage("the-dog"), [field]: value };
        expect(roundTrip(page)).toEqual(page);
      }
    });
  }

  it("holds every field at once, and keeps −0 apart from 0", () => {
    const state = Object.fromEntries(
      Object.entries(STATES).map(([field, values]) => [field, values[values.length - 1]]),
    );
    const page: Page = {
      ...withState(state as Partial<State>),
      cell: VIEWS.cell[1]!,
      digits: "full",
      compare: true,
      feeds: true,
    };
    expect(roundTrip(page)).toEqual(page);
    const negative = roundTrip(withState({ rows: { fox: [-0] } })).state.rows?.fox?.[0];
    expect(Object.is(negative, -0)).toBe(true);
  });

  it("is in the layer of its open cell", () => {
    expect(readAddress("cell=layer1.Q:0:0:0", "dog").page.layer).toBe(1);
    expect(readAddress("layer=2&cell=E:0:0", "dog").page.layer).toBe(2);
  });

  it("survives what a browser does to the part after the #", () => {
    for (const tokens of STATES.tokens) {
      const page = withState({ tokens });
      const url = new URL("http://127.0.0.1/");
      url.hash = writeAddress(page);
      expect(readAddress(url.hash, "another").page).toEqual(page);
    }
  });

  it("uses only the two separators that no encoded part can hold", () => {
    const address = writeAddress(withState({ tokens: ODD_WORDS.filter((word) => word !== "") }));
    expect(address.split("&")).toHaveLength(2);
    expect(address.split("&")[1]!.split(",")).toHaveLength(ODD_WORDS.length - 1);
  });

  it("replaces half of a surrogate pair, which no address can hold", () => {
    expect(roundTrip(withState({ tokens: ["a\ud800b", "\udc00"] })).state.tokens).toEqual([
      "a\ufffdb",
      "\ufffd",
    ]);
  });

  it("has one codec for every field", () => {
    expect(Object.keys(stateFields).sort()).toEqual(Object.keys(STATES).sort());
    expect(Object.keys(viewFields).sort()).toEqual(Object.keys(VIEWS).sort());
  });
});

describe("a bad address", () => {
  it.each([
    ["mask=sideways", "its mask says “sideways” where none or causal was expected"],
    ["scale=yes", "its scale says “yes” where 0 or 1 was expected"],
    ["heads=two", "its heads holds “two” where a whole number from 0 was expected"],
    ["tokens=the,%E0%A4%A", "its tokens holds “%E0%A4%A”, which is not percent-encoded text"],
    ["rows=fox:0.1:x", "its rows holds “x” where a finite number was expected"],
    ["rows=fox:1e999", "its rows holds “1e999” where a finite number was expected"],
    ["edits=E:the:0", "its edits holds “E:the:0” where matrix:row:column:value was expected"],
    ["edits=W_Z:0:0:1", "its edits says “W_Z” where a parameter such as E, W_Q or layer1.b_2 was expected"],
    ["temperature=0", "its temperature holds “0” where a number above 0 was expected"],
    ["training=sgd:0.1", "its training holds “sgd:0.1” where optimizer:learning rate:steps was expected"],
    ["training=adam:0.1:9", "its training says “adam” where sgd, momentum or adamw was expected"],
    ["norm=batch", "its norm says “batch” where none, layer or rms was expected"],
    ["cell=scores:a", "its cell holds “a” where a whole number from 0 was expected"],
    ["before=%26mask=causal", "its before does not hold a state"],
    ["digits=5", "its digits says “5” where 2, 3, 4 or full was expected"],
    ["colour=red", "its colour is not a field of this page"],
    ["__proto__=1", "its __proto__ is not a field of this page"],
  ])("%s is told in one sentence and the rest survives", (bad, reason) => {
    const { page, problem } = readAddress(`#example=he&${bad}&positions=rotary&compare=1`, "another");
    expect(problem).toBe(`Part of this link could not be read and was left out: ${reason}.`);
    expect(page).toEqual({
      ...startingPage("he"),
      state: { example: "he", positions: "rotary" },
      compare: true,
    });
  });

  it("tells two problems in one sentence", () => {
    const { problem } = readAddress("mask=x&scale=x", "another");
    expect(problem?.match(/\./g)).toHaveLength(1);
    expect(problem).toContain("its mask");
    expect(problem).toContain("its scale");
  });

  it("is the first example when there is none", () => {
    expect(readAddress("", "the-first").page).toEqual(startingPage("the-first"));
    expect(readAddress("#", "the-first").page).toEqual(startingPage("the-first"));
  });
});
