/** What a whole model and its training add: numbers of fewer axes, words as columns, the loop, curves, points, maps. */
import { type ChartModel, createChart } from "../../draw/chart";
import { h } from "../../draw/dom";
import { findings, verdict } from "../../draw/findings";
import { createHeatmap } from "../../draw/heatmap";
import { layerPicker } from "../../draw/layerpicker";
import { loopMap } from "../../draw/loop";
import { createMatrix, type MatrixModel } from "../../draw/matrix";
import { rankedWords } from "../../draw/ranking";
import { createScatter } from "../../draw/scatter";
import * as sample from "./samples";
import { exhibit, section } from "./section";

const still = () => undefined;
const NO_AXIS = { axis: "", kind: "index" as const, labels: [""] };

function matrix(name: string, model: MatrixModel): HTMLElement {
  return exhibit(name, createMatrix(model, { open: still }).element);
}

const row = (...exhibits: HTMLElement[]) => h("div", { class: "matrices" }, exhibits);

/** 80 words, as many as a small trained model knows. */
const MANY_WORDS = Array.from({ length: 80 }, (_, i) => `word${i}`);

export function wholeStates(): HTMLElement {
  return section(
    "whole",
    "A whole model",
    "Numbers that are no matrix look like one, words stand over columns, and a layer is chosen in the bar.",
    row(
      matrix(
        "a single number",
        sample.scores("loss", {
          ...{ name: "loss", made: "mean(losses)", says: "how surprised the model is, on average" },
          ...{ rows: NO_AXIS, columns: NO_AXIS, values: sample.flat([[1.386]]), shape: "one number" },
        }),
      ),
      matrix(
        "a vector",
        sample.scores("bias", {
          ...{
            name: "b_1",
            made: undefined,
            says: "added to every position alike",
            shape: "layer 1 · 1 × 5",
          },
          ...{ rows: NO_AXIS, columns: sample.indices("hidden", 5), editable: true },
          values: sample.flat([[0.5, -1, 0, 0.25, 2]]),
        }),
      ),
    ),
    row(
      matrix(
        "words as columns",
        sample.weights("probabilities", {
          ...{ name: "probabilities", made: "softmax(tempered)", says: "what comes next, by every position" },
          ...{ rows: sample.position("position"), shape: "5 × 80" },
          columns: { axis: "vocabulary", kind: "word", labels: MANY_WORDS },
          values: Float64Array.from({ length: 5 * 80 }, (_, i) => (i % 17 === 0 ? 0.4 : 0.0075)),
        }),
      ),
    ),
    exhibit("the choice of a layer", layers(2, 1), layers(4, 0)),
    exhibit("the next word", nextWord()),
  );
}

function layers(count: number, chosen: number): HTMLElement {
  const picker = layerPicker((layer) => picker.update(count, layer));
  picker.update(count, chosen);
  return picker.element;
}

function nextWord(): HTMLElement {
  const words = ["cat", "dog", "the", "chased", "<b>"];
  const probabilities = [0.54, 0.31, 0.1, 0.05, 0];
  return rankedWords(
    words.map((word, i) => ({
      ...{ at: i, word, rank: i + 1, probability: probabilities[i] as number, isNext: i === 1 },
    })),
    { digits: 2, after: { position: 3, word: "the", count: 5 }, open: still },
  );
}

export function trainingStates(): HTMLElement {
  return section(
    "training",
    "Training",
    "The loop as a map, curves over steps, words as points, maps of many heads, and findings.",
    exhibit("the training loop", h("div", { class: "round-trip" }, loopMap(LOOP, still))),
    exhibit("curves", chart()),
    exhibit("words as points", scatter()),
    exhibit("maps of heads", heatmaps()),
    exhibit("findings", h("div", { class: "container" }, table())),
  );
}

const LOOP = [
  { id: "update", short: "Update", gradients: null },
  ...[
    ["Embeddings", "dX dE"],
    ["Q K V", "dQ dK dV"],
    ["Scores", "dscores"],
    ["Scale", "dscaled"],
    ["Mask", "dmasked"],
    ["Softmax", "dweights"],
    ["Weighted sum", "dmixed"],
    ["Output", "doutput"],
    ["Residual", "dresidual"],
    ["Feed-forward", "dffn_out …"],
    ["Next word", "dlogits"],
    ["Loss", null],
  ].map(([short, gradients]) => ({
    id: short as string,
    short: short as string,
    gradients: gradients ?? null,
  })),
];

function chart(): HTMLElement {
  const steps = Array.from({ length: 41 }, (_, i) => i);
  let model: ChartModel = {
    name: "score",
    steps,
    lines: [
      { name: "layer 0, head 0", values: steps.map((step) => 0.1 + step / 400), strong: false },
      {
        name: "layer 1, head 1",
        values: steps.map((step) => 0.95 / (1 + Math.exp(12 - step / 2))),
        strong: true,
      },
    ],
    ...{ at: 26, digits: 2 as const, include: [0, 1], goal: { value: 0.8, name: "0.8" } },
  };
  const made = createChart(model, (at) => {
    model = { ...model, at };
    made.update(model);
  });
  return made.element;
}

function scatter(): HTMLElement {
  const words = ["the", "a", "dog", "cat", "chased", "Donaudampfschiff"];
  const from = [0, 0, 1, 2, 3, -1, -2, 1, 2.5, -2, -1.5, -1.8];
  const to = [0.2, 0.1, 0.4, 0.2, 2.2, 1.1, 2.3, 1.2, -2, -1, -1, -1.8];
  const moments = 9;
  const points = Float64Array.from({ length: moments * from.length }, (_, i) => {
    const [moment, at] = [Math.floor(i / from.length), i % from.length];
    const [a = 0, b = 0] = [from[at], to[at]];
    return a + ((b - a) * moment) / (moments - 1);
  });
  return createScatter({
    ...{
      label: "six words as points",
      words,
      points,
      at: moments - 1,
      strong: new Set(["the", "dog", "cat"]),
    },
    axes: ["first direction, 62 %", "second direction, 21 %"],
  }).element;
}

function heatmaps(): HTMLElement {
  const size = 24;
  const targets = Array.from({ length: size }, (_, i) => (i < size / 2 ? -1 : i - size / 2 + 1));
  const weights = (sharp: boolean) =>
    Float64Array.from({ length: size * size }, (_, i) => {
      const [query, key] = [Math.floor(i / size), i % size];
      if (key > query) return -1;
      if (sharp && (targets[query] ?? -1) >= 0) return key === targets[query] ? 0.9 : 0.1 / query;
      return 1 / (query + 1);
    });
  const map = (name: string, sharp: boolean, className: string) =>
    h(
      "figure",
      { class: className },
      createHeatmap({ name, weights: weights(sharp), size, targets }, still).element,
      h("figcaption", null, name),
    );
  return h(
    "div",
    { class: "gallery-maps" },
    map("layer 1, head 0", true, "large"),
    map("layer 0, head 0", false, "small"),
  );
}

function table(): HTMLElement {
  return findings(
    "What heads are said to learn, and what was measured",
    ["claim", "found", "score", "sentences"],
    [
      ["a head looks at the word before", [verdict(true), " layer 0, head 1 does"], "0.97", "500"],
      ["a head looks at the word after", [verdict(false), " none does: the mask forbids it"], "0", "500"],
    ],
  );
}
