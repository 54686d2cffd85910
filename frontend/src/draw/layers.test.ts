import { describe, expect, it } from "vitest";
import { bare, inLayer, layered, layerOf } from "./layers";

describe("the layer in a name", () => {
  it.each([
    ["layer0.Q", 0, "Q"],
    ["layer12.dW_Q", 12, "dW_Q"],
    ["layer1.Q[0,3]", 1, "Q[0,3]"],
    ["logits", null, "logits"],
    ["player1.x", null, "player1.x"],
    ["layer.x", null, "layer.x"],
  ])("of %s is %s, and without it the name is %s", (name, layer, without) => {
    expect(layerOf(name)).toBe(layer);
    expect(bare(name)).toBe(without);
  });

  it("is said where it is not the layer at hand", () => {
    expect(layered("layer1.Q[0,3]", 1)).toBe("Q[0,3]");
    expect(layered("layer0.hidden[2,1]", 1)).toBe("hidden[2,1] (layer 0)");
    expect(layered("layer0.hidden")).toBe("hidden (layer 0)");
    expect(layered("E[3,0]", 1)).toBe("E[3,0]");
  });

  it("can be another one, where there is one", () => {
    expect(inLayer("layer0.Q", 1)).toBe("layer1.Q");
    expect(inLayer("E", 1)).toBe("E");
  });
});
