import { expect, it } from "vitest";
import type { Quantity } from "../../wire/types";
import { madeOf } from "./madeof";

const AXES: Record<string, string[]> = {
  X: ["position", "model"],
  W_Q: ["model", "joined"],
  Q: ["head", "query", "feature"],
  K: ["head", "key", "feature"],
  V: ["head", "key", "feature"],
  VW_O: ["head", "key", "model"],
  weights: ["head", "query", "key"],
  dmixed: ["head", "query", "feature"],
  dXW_Q: ["position", "joined"],
  "layer0.hidden": ["position", "model"],
  dlogits: ["position", "vocabulary"],
  "layer1.X": ["position", "model"],
  "layer1.W_Q": ["model", "joined"],
};

const find = (name: string): Quantity | undefined => {
  const axes = AXES[name];
  return axes && quantity(name, "given", [], axes);
};

function quantity(name: string, operation: string, inputs: string[], axes: string[]): Quantity {
  const words = { latex: "", formula: null, editable: false, says: "", scale: "signed" as const };
  return { name, operation, inputs, axes, shape: [], values: 0, ...words };
}

it.each([
  ["X", "add", ["embeddings_scaled", "positions"], ["position", "model"], "embeddings_scaled + positions"],
  ["XW_Q", "contract", ["X", "W_Q"], ["position", "joined"], "X · W_Q"],
  ["scores", "contract", ["Q", "K"], ["head", "query", "key"], "Q · K^T"],
  ["mixed", "contract", ["weights", "V"], ["head", "query", "feature"], "weights · V"],
  ["dV", "contract", ["weights", "dmixed"], ["head", "key", "feature"], "weights^T · dmixed"],
  ["dW_Q", "contract", ["X", "dXW_Q"], ["model", "joined"], "X^T · dXW_Q"],
  ["layer1.XW_Q", "contract", ["layer1.X", "layer1.W_Q"], ["position", "joined"], "X · W_Q"],
  ["layer1.X", "copy", ["layer0.hidden"], ["position", "model"], "hidden (layer 0)"],
  [
    "dE_from_logits",
    "contract",
    ["layer0.hidden", "dlogits"],
    ["vocabulary", "model"],
    "hidden^T (layer 0) · dlogits",
  ],
  ["weights", "softmax", ["masked"], ["head", "query", "key"], "softmax(masked)"],
  ["masked", "mask", ["scaled"], ["head", "query", "key"], "mask(scaled)"],
  ["masked", "copy", ["scaled"], ["head", "query", "key"], "scaled"],
])("writes %s, made by %s of %j", (name, operation, inputs, axes, written) => {
  expect(madeOf(quantity(name, operation, inputs, axes), find)).toBe(written);
});

it.each([
  ["a given matrix", "given", []],
  ["what has no short name", "lookup", ["E"]],
  ["a sum that keeps the axis it shares", "contract", ["weights", "VW_O"]],
  ["a product of what is not there", "contract", ["Q", "missing"]],
])("leaves %s to its caption", (_, operation, inputs) => {
  expect(madeOf(quantity("contribution", operation, inputs, ["query", "key", "model"]), find)).toBeNull();
});
