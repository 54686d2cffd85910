import { describe, expect, it } from "vitest";
import { atStep, setSetting } from "./changes";
import { startingPage } from "./page";
import { createStore } from "./store";

const causal = setSetting({ example: "dog" }, "mask", "causal");
const unscaled = setSetting(causal, "scale", false);

function changedTwice() {
  const store = createStore(startingPage("dog"));
  store.drawn({ example: "dog" });
  store.change(causal);
  store.drawn(causal);
  store.change(unscaled);
  store.drawn(unscaled);
  return store;
}

describe("the store", () => {
  it("compares with the picture before the last change, in both directions of time", () => {
    const store = changedTwice();
    expect(store.before).toEqual(causal);
    store.undo();
    expect(store.page.value.state).toEqual(causal);
    expect(store.before).toEqual(unscaled);
    store.drawn(causal);
    store.redo();
    expect(store.before).toEqual(causal);
  });

  it("compares with the last picture that could be drawn, not with a state that could not", () => {
    const store = changedTwice();
    store.change({ ...unscaled, tokens: [] });
    store.change({ ...unscaled, tokens: ["dog"] });
    expect(store.before).toEqual(unscaled);
  });

  it("compares a link that changes an example with that example as it is shipped", () => {
    expect(createStore({ ...startingPage("dog"), state: causal }).before).toEqual({ example: "dog" });
    expect(createStore(startingPage("dog")).before).toBeNull();
  });

  it("keeps what it compares with in the page, for as long as it compares", () => {
    const store = changedTwice();
    expect(store.page.value.before).toBeNull();
    store.look({ compare: true });
    expect(store.page.value.before).toEqual(causal);
    const other = createStore(store.page.value);
    expect(other.before).toEqual(causal);
    store.look({ compare: false });
    expect(store.page.value.before).toBeNull();
  });

  it("takes many steps of a slider back at once, and compares with what was before them", () => {
    const store = createStore(startingPage("dog"));
    const training = { optimizer: "sgd" as const, learning_rate: 0.1, steps: 9 };
    store.drawn({ example: "dog" });
    for (const step of [1, 2, 3]) {
      const state = atStep({ example: "dog" }, training, step);
      store.slide(state);
      store.drawn(state);
    }
    expect(store.page.value.state.step).toBe(3);
    expect(store.before).toEqual({ example: "dog" });
    store.change(setSetting(store.page.value.state, "mask", "causal"));
    store.slide({ ...store.page.value.state, step: 4 });
    store.undo();
    expect(store.page.value.state).toMatchObject({ mask: "causal", step: 3 });
    store.undo();
    store.undo();
    expect(store.page.value.state).toEqual({ example: "dog" });
    expect(store.canUndo).toBe(false);
  });

  it("goes to the layer of an opened cell, and takes an open cell into another layer", () => {
    const store = createStore(startingPage("dog"));
    store.open({ quantity: "layer1.Q", index: [0, 1, 0] }, false);
    expect(store.page.value.layer).toBe(1);
    store.open({ quantity: "E", index: [0, 0] }, true);
    expect(store.page.value.layer).toBe(1);
    store.open({ quantity: "layer0.hidden", index: [2, 1] }, true);
    expect(store.page.value.layer).toBe(0);
    store.chooseLayer(1);
    expect(store.page.value).toMatchObject({ layer: 1, cell: { quantity: "layer1.hidden", index: [2, 1] } });
    expect(store.trail).toEqual([{ quantity: "layer1.hidden", index: [2, 1] }]);
    store.chooseExample("he");
    expect(store.page.value.layer).toBe(0);
  });

  it("visits another state with a place to look at as one change", () => {
    const store = createStore(startingPage("dog"));
    const cell = { quantity: "layer1.weights", index: [0, 4, 2] };
    store.visit({ example: "study", tokens: ["a"] }, cell);
    expect(store.page.value).toMatchObject({ state: { example: "study", tokens: ["a"] }, layer: 1, cell });
    store.visit({ example: "study", tokens: ["a"] }, null);
    expect(store.page.value).toMatchObject({ layer: 0, cell: null });
    store.undo();
    expect(store.page.value.state).toEqual({ example: "dog" });
  });

  it("takes a reset and another example back", () => {
    const store = changedTwice();
    store.reset();
    expect(store.page.value.state).toEqual({ example: "dog" });
    store.drawn({ example: "dog" });
    store.chooseExample("he");
    expect(store.page.value.state).toEqual({ example: "he" });
    expect(store.before).toBeNull();
    store.undo();
    store.undo();
    expect(store.page.value.state).toEqual(unscaled);
  });

  it("records no change that changes nothing", () => {
    const store = createStore(startingPage("dog"));
    store.change({ example: "dog" });
    store.reset();
    store.chooseExample("dog");
    expect(store.canUndo).toBe(false);
  });

  it("keeps what the person looks at out of undo", () => {
    const store = changedTwice();
    store.look({ digits: 4, compare: true });
    store.undo();
    expect(store.page.value).toMatchObject({ digits: 4, compare: true, state: causal });
  });
});

describe("the trail of opened cells", () => {
  const [scores, query, entry] = [
    { quantity: "scores", index: [0, 3, 1] },
    { quantity: "Q", index: [0, 3, 0] },
    { quantity: "E", index: [0, 0] },
  ];

  it("grows with every step deeper, shrinks to a cell opened before, and begins anew elsewhere", () => {
    const store = createStore(startingPage("dog"));
    store.open(scores!, false);
    store.open(query!, true);
    store.open(entry!, true);
    expect(store.trail).toEqual([scores, query, entry]);
    store.open(query!, true);
    expect(store.trail).toEqual([scores, query]);
    store.open(entry!, false);
    expect(store.trail).toEqual([entry]);
    store.close();
    expect(store.trail).toEqual([]);
    expect(store.page.value.cell).toBeNull();
  });
});
