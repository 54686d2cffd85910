/** Cells worked by hand for the gallery: what the session would answer for them. */
import type { Arithmetic, Explanation, MathML } from "../../wire/types";

const cell = (quantity: string, index: number[], text: string): Arithmetic => ({
  kind: "cell",
  text,
  label: `${quantity}[${index.join(",")}]`,
  quantity,
  index,
});
const number = (text: string, symbol?: string): Arithmetic => ({
  kind: "number",
  text,
  ...(symbol ? { symbol } : {}),
});

const SCORES_FORMULA: MathML = [
  "mrow",
  ["msub", ["mi", "s"], ["mrow", ["mi", "i"], ["mi", "j"]]],
  ["mo", "="],
  ["munder", ["mo", { movablelimits: "false" }, "∑"], ["mi", "k"]],
  ["msub", ["mi", "Q"], ["mrow", ["mi", "i"], ["mi", "k"]]],
  ["msub", ["mi", "K"], ["mrow", ["mi", "j"], ["mi", "k"]]],
];
export const SOFTMAX_FORMULA: MathML = [
  "mrow",
  ["msub", ["mi", "w"], ["mrow", ["mi", "i"], ["mi", "j"]]],
  ["mo", "="],
  [
    "mfrac",
    ["msup", ["mi", "e"], ["msub", ["mi", "s"], ["mrow", ["mi", "i"], ["mi", "j"]]]],
    [
      "mrow",
      ["munder", ["mo", { movablelimits: "false" }, "∑"], ["mi", "m"]],
      ["msup", ["mi", "e"], ["msub", ["mi", "s"], ["mrow", ["mi", "i"], ["mi", "m"]]]],
    ],
  ],
];
export const SCALE_FORMULA: MathML = [
  "mrow",
  ["mi", { mathvariant: "normal" }, "scaled"],
  ["mo", "="],
  [
    "mfrac",
    ["mrow", ["mi", "Q"], ["msup", ["mi", "K"], ["mi", "T"]]],
    ["msqrt", ["msub", ["mi", "d"], ["mtext", "head"]]],
  ],
];

const product = (feature: number, query: string, key: string, at = 1): Arithmetic => ({
  kind: "product",
  factors: [cell("Q", [0, 2, feature], query), cell("K", [0, at, feature], key)],
});

/** 0.5 · 1.2 + 1.5 · 1 − 0.3 · 1 = 1.8, exactly. */
export const EXACT_SUM: Explanation = {
  kind: "explanation",
  quantity: "scores",
  index: [0, 2, 1],
  label: "scores[0,2,1]",
  place: "head 0, query 2 “chased”, key 1 “dog”",
  value: "1.80",
  full: "1.8",
  formula: SCORES_FORMULA,
  terms: [
    { label: "feature 0", arithmetic: product(0, "0.50", "1.20"), relation: "=", value: "0.60" },
    { label: "feature 1", arithmetic: product(1, "1.50", "1.00"), relation: "=", value: "1.50" },
    { label: "feature 2", arithmetic: product(2, "−0.30", "1.00"), relation: "=", value: "−0.30" },
  ],
  total: { relation: "=", text: "1.80" },
  lines: [],
  sources: [],
  feeds: [
    { quantity: "scaled", cells: [[0, 2, 1]] },
    { quantity: "W_K", cells: [[1, null]] },
  ],
  spoken: "scores, query 2 chased, key 1 dog: three products sum to 1.80.",
  text: "",
  latex: "",
};

/** The rounded terms give 0.34, the exact ones 0.3515: the total says ≈. */
export const ROUNDED_SUM: Explanation = {
  ...EXACT_SUM,
  index: [0, 2, 4],
  label: "scores[0,2,4]",
  place: "head 0, query 2 “chased”, key 4 “cat”",
  value: "0.35",
  full: "0.35150000000000003",
  terms: [
    { label: "feature 0", arithmetic: product(0, "0.35", "0.21", 4), relation: "≈", value: "0.07" },
    { label: "feature 1", arithmetic: product(1, "0.45", "0.41", 4), relation: "≈", value: "0.18" },
    { label: "feature 2", arithmetic: product(2, "0.55", "0.17", 4), relation: "≈", value: "0.09" },
  ],
  total: { relation: "≈", text: "0.35" },
  note: "Rounded to 2 decimals the terms do not add up to the total exactly, so it says ≈.",
};

const power = (key: number, text: string): Arithmetic => ({
  kind: "exp",
  of: { kind: "difference", left: cell("masked", [0, 2, key], text), right: number("2.40") },
});
const row = ["0.15", "2.40", "0", "−∞", "−∞"];

export const SOFTMAX: Explanation = {
  ...EXACT_SUM,
  quantity: "weights",
  label: "weights[0,2,1]",
  value: "0.84",
  full: "0.8360384906405369",
  formula: SOFTMAX_FORMULA,
  terms: [],
  total: undefined,
  lines: [
    {
      relation: "=",
      arithmetic: {
        kind: "quotient",
        top: power(1, "2.40"),
        bottom: { kind: "sum", terms: row.map((text, j) => power(j, text)) },
      },
    },
    {
      relation: "≈",
      arithmetic: {
        kind: "quotient",
        top: number("1"),
        bottom: { kind: "sum", terms: ["0.11", "1", "0.09", "0", "0"].map((text) => number(text)) },
      },
    },
    { relation: "≈", arithmetic: number("0.84") },
  ],
  note: "A masked score is −∞, and e to the power −∞ is 0: the two later words get nothing at all.",
  feeds: [{ quantity: "mixed", cells: [[0, 2, null]] }],
  spoken: "weights, query 2 chased, key 1 dog: 0.84.",
};

export const SINUSOID: Explanation = {
  ...EXACT_SUM,
  quantity: "positions",
  index: [3, 2],
  label: "positions[3,2]",
  place: "position 3 “the”, model 2",
  value: "0.03",
  full: "0.02999550020249566",
  formula: null,
  terms: [],
  total: undefined,
  lines: [
    {
      relation: "≈",
      arithmetic: {
        kind: "function",
        name: "sin",
        arguments: [
          {
            kind: "quotient",
            top: number("3", "position"),
            bottom: {
              kind: "power",
              base: number("10000"),
              exponent: { kind: "quotient", top: number("2"), bottom: number("4", "d_model") },
            },
          },
        ],
      },
    },
    { relation: "≈", arithmetic: { kind: "function", name: "sin", arguments: [number("0.03")] } },
    { relation: "≈", arithmetic: number("0.03") },
  ],
  feeds: [],
  spoken: "positions, position 3 the, model 2: 0.03.",
};

/** One piece of each kind that the sinusoid and the softmax do not have. */
export const PIECES: Arithmetic[] = [
  {
    kind: "quotient",
    top: cell("scores", [0, 2, 1], "2.40"),
    bottom: { kind: "root", of: number("4", "d_head") },
  },
  {
    kind: "product",
    factors: [
      { kind: "sum", terms: [number("0.20"), number("−0.05")] },
      { kind: "function", name: "abs", arguments: [number("−2")] },
      number("−0.5"),
    ],
  },
  { kind: "function", name: "max", arguments: [number("0.15"), number("2.40"), number("0")] },
];
