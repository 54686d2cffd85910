import { describe, expect, it } from "vitest";
import { picture } from "../../state/picture";
import { sampleWalkthrough } from "../../state/testing";
import type { Quantity, Walkthrough } from "../../wire/types";
import { ranking } from "./nextword";
import { loopSteps } from "./roundtrip";

function predicting() {
  const state = { example: "dog" };
  const { data, buffers } = sampleWalkthrough(state);
  const about: Quantity = {
    ...{ name: "probabilities", axes: ["position", "vocabulary"], shape: [3, 2], values: buffers.length },
    ...{
      operation: "softmax",
      inputs: [],
      latex: "",
      formula: null,
      editable: false,
      says: "",
      scale: "weights",
    },
  };
  const whole = data as Walkthrough;
  const values = new Float64Array([0.25, 0.75, 0.5, 0.5, 1, 0]);
  return picture(state, { ...whole, quantities: [...whole.quantities, about] }, [...buffers, values]);
}

describe("the next word", () => {
  it("is ranked by its probability, and the one that comes is marked", () => {
    expect(ranking(predicting(), 0)).toEqual([
      { at: 1, word: "b", probability: 0.75, rank: 1, isNext: true },
      { at: 0, word: "a", probability: 0.25, rank: 2, isNext: false },
    ]);
  });

  it("keeps the order of the vocabulary where probabilities are the same", () => {
    expect(ranking(predicting(), 1).map(({ word }) => word)).toEqual(["a", "b"]);
  });

  it("is marked nowhere after the last word", () => {
    expect(ranking(predicting(), 2).some(({ isNext }) => isNext)).toBe(false);
  });

  it("is no question to a model that does not predict", () => {
    const { data, buffers } = sampleWalkthrough({ example: "dog" });
    expect(ranking(picture({ example: "dog" }, data as Walkthrough, buffers), 0)).toEqual([]);
  });
});

describe("the steps of the loop", () => {
  const { data } = predicting();
  const stop = (id: string, gradients: string[] = []) => ({
    ...{ id, title: id, short: id.toUpperCase(), text: [], formulas: [], quantities: [] },
    ...(gradients.length > 0
      ? { asides: [{ id: `backwards-${id}`, title: "Backwards", text: [], quantities: gradients }] }
      : {}),
  });

  it("lead from the update to the loss, with the gradients of what flows through", () => {
    const stops = [
      stop("projections", ["layer0.dQ", "layer0.dXW_Q", "layer0.dW_Q", "layer0.dK", "layer0.dV"]),
      stop("feed-forward", ["dffn_out", "dffn_act", "dX", "dW_1"]),
      stop("loss"),
      stop("update"),
    ];
    expect(loopSteps({ ...data, stops })).toEqual([
      { id: "update", short: "UPDATE", gradients: null },
      { id: "projections", short: "PROJECTIONS", gradients: "dQ dK dV" },
      { id: "feed-forward", short: "FEED-FORWARD", gradients: "dffn_out" },
      { id: "loss", short: "LOSS", gradients: null },
    ]);
  });

  it("are none without a loss", () => {
    expect(loopSteps({ ...data, stops: [stop("scores")] })).toEqual([]);
  });
});
