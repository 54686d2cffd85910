import { describe, expect, it } from "vitest";
import type { Explanation } from "../wire/types";
import { converse } from "./conversation";
import { type Page, startingPage } from "./page";
import { createStore } from "./store";
import { fakeFrames, fakeHost, mistake, sampleWalkthrough, settled } from "./testing";

const EXAMPLES = {
  data: { kind: "examples" as const, examples: [{ name: "dog", title: "Dog", look_for: "", tokens: ["a"] }] },
  buffers: [],
};

function explained(quantity: string, index: number[]) {
  const empty = {
    label: "",
    place: "",
    value: "",
    full: "",
    formula: null,
    terms: [],
    lines: [],
    sources: [],
    feeds: [],
    spoken: "",
    text: "",
    latex: "",
  };
  const data: Explanation = { kind: "explanation", quantity, index, ...empty };
  return { data, buffers: [] };
}

async function arrive(page: Page = startingPage("dog")) {
  const host = fakeHost();
  const frames = fakeFrames();
  const store = createStore(page);
  const stop = new AbortController();
  const talk = converse(store, host, frames.next, stop.signal);
  await frames.pass();
  return { host, frames, store, talk, stop };
}

async function drawn(page?: Page) {
  const all = await arrive(page);
  await all.host.requests[0]?.answer(EXAMPLES, sampleWalkthrough(all.store.page.value.state));
  return all;
}

describe("a conversation", () => {
  it("asks for the examples and the picture in the first frame", async () => {
    const { host, talk } = await drawn();
    expect(host.asked()).toEqual([{ ask: "examples" }, { ask: "walkthrough", state: { example: "dog" } }]);
    expect(talk.examples.value).toEqual(EXAMPLES.data.examples);
    expect(talk.picture.value?.data.example.title).toBe("Example dog");
    expect(talk.picture.value?.quantities.get("scores")?.values).toHaveLength(18);
  });

  it("compares the steps of a training only where the differences are wanted", async () => {
    const { host, frames, store } = await drawn();
    const state = {
      example: "dog",
      training: { optimizer: "sgd" as const, learning_rate: 1, steps: 9 },
      step: 3,
    };
    store.slide(state);
    await frames.pass();
    expect(host.asked()).toEqual([{ ask: "walkthrough", state }]);
    await host.requests[1]?.answer(sampleWalkthrough(state));
    store.look({ compare: true });
    await frames.pass();
    expect(host.asked()).toEqual([{ ask: "walkthrough", state, before: { example: "dog" } }]);
    await host.requests[2]?.answer(sampleWalkthrough(state));
    store.look({ digits: 3 });
    await frames.pass();
    expect(host.requests).toHaveLength(3);
  });

  it("asks for the picture of another layer", async () => {
    const { host, frames, store } = await drawn();
    store.chooseLayer(1);
    await frames.pass();
    expect(host.asked()).toEqual([{ ask: "walkthrough", state: { example: "dog" }, layer: 1 }]);
  });

  it("asks for the picture with the one before, and for the open cell, in one request", async () => {
    const { host, frames, store } = await drawn();
    store.open({ quantity: "scores", index: [0, 1, 1] }, false);
    await frames.pass();
    await host.requests[1]?.answer(explained("scores", [0, 1, 1]));
    store.change({ example: "dog", scale: false });
    await frames.pass();
    expect(host.asked()).toEqual([
      { ask: "walkthrough", state: { example: "dog", scale: false }, before: { example: "dog" } },
      {
        ask: "explain",
        state: { example: "dog", scale: false },
        quantity: "scores",
        index: [0, 1, 1],
        digits: 2,
      },
    ]);
  });

  it("asks nothing when only the comparison is switched", async () => {
    const { host, frames, store } = await drawn();
    store.look({ compare: true });
    await frames.pass();
    expect(host.requests).toHaveLength(1);
  });

  it("keeps the edits and the last good picture beside the sentence about a mistake, and undo mends it", async () => {
    const { host, frames, store, talk } = await drawn();
    const good = talk.picture.value;
    store.change({ example: "dog", tokens: [] });
    await frames.pass();
    await host.requests[1]?.answer(mistake("The sentence is empty; one word or more was expected."));
    expect(talk.problem.value).toBe("The sentence is empty; one word or more was expected.");
    expect(talk.picture.value).toBe(good);
    expect(store.page.value.state).toEqual({ example: "dog", tokens: [] });
    store.undo();
    await frames.pass();
    await host.requests[2]?.answer(sampleWalkthrough({ example: "dog" }));
    expect(talk.problem.value).toBeNull();
    expect(store.page.value.state).toEqual({ example: "dog" });
  });

  it("draws the untouched example beside the sentence when a link cannot be drawn", async () => {
    const page = { ...startingPage("dog"), state: { example: "dog", tokens: [] } };
    const { host, frames, store, talk } = await arrive(page);
    await host.requests[0]?.answer(EXAMPLES, mistake("The sentence is empty."));
    await frames.pass();
    expect(host.asked()).toEqual([{ ask: "walkthrough", state: { example: "dog" } }]);
    await host.requests[1]?.answer(sampleWalkthrough({ example: "dog" }));
    expect(talk.picture.value?.data.tokens).toEqual(["a", "b", "a"]);
    expect(talk.problem.value).toBe("The sentence is empty.");
    expect(store.page.value.state.tokens).toEqual([]);
  });

  it("goes to the first layer, and says which there are, where a link asks for one that is none", async () => {
    const { host, frames, store, talk } = await arrive({ ...startingPage("dog"), layer: 99 });
    const { data } = mistake("layer: expected a whole number from 0 to 0, got 99");
    await host.requests[0]?.answer(EXAMPLES, {
      data: { ...data, where: "layer" } as typeof data,
      buffers: [],
    });
    await frames.pass();
    expect(host.asked()).toEqual([{ ask: "walkthrough", state: { example: "dog" } }]);
    await host.requests[1]?.answer(sampleWalkthrough({ example: "dog" }));
    expect(store.page.value.layer).toBe(0);
    expect(talk.problem.value).toBeNull();
    expect(talk.remark.value).toBe("There is no layer 99: this has one layer, layer 0.");
    expect(talk.picture.value).not.toBeNull();
  });

  it("leaves a mistake to whoever asked, and says it itself where they do not take it", async () => {
    const { host, frames, talk } = await drawn();
    const taken: string[] = [];
    const ask = (takes: boolean) =>
      talk.once("practice", { ask: "examples" }, "practice", ({ message }) => {
        taken.push(message);
        return takes;
      });
    void ask(true);
    await frames.pass();
    await host.requests[1]?.answer(mistake("typed: no number"));
    expect(talk.problem.value).toBeNull();
    void ask(false);
    await frames.pass();
    await host.requests[2]?.answer(mistake("no such cell"));
    expect(talk.problem.value).toBe("no such cell");
    expect(taken).toEqual(["typed: no number", "no such cell"]);
  });

  it("closes a cell that the new picture does not have, and says so", async () => {
    const page = { ...startingPage("dog"), cell: { quantity: "scores", index: [0, 2, 2] } };
    const { host, frames, store, talk } = await arrive(page);
    await host.requests[0]?.answer(
      EXAMPLES,
      sampleWalkthrough({ example: "dog" }),
      explained("scores", [0, 2, 2]),
    );
    expect(talk.explanation.value?.index).toEqual([0, 2, 2]);
    store.change({ example: "dog", tokens: ["a", "b"] });
    await frames.pass();
    await host.requests[1]?.answer(
      sampleWalkthrough({ example: "dog", tokens: ["a", "b"] }),
      mistake("no such cell"),
    );
    expect(store.page.value.cell).toBeNull();
    expect(talk.remark.value).toBe(
      "There is no cell scores[0,2,2] in this picture, so no arithmetic is open.",
    );
    expect(talk.problem.value).toBeNull();
  });

  it("drops the arithmetic of a cell that is no longer the open one", async () => {
    const { host, frames, store, talk } = await drawn();
    store.open({ quantity: "scores", index: [0, 0, 0] }, false);
    await frames.pass();
    store.close();
    await host.requests[1]?.answer(explained("scores", [0, 0, 0]));
    await settled();
    expect(talk.explanation.value).toBeNull();
  });

  it("asks everything again when the session is back", async () => {
    const { host, frames, store, talk } = await drawn();
    host.status.set("lost");
    store.change({ example: "dog", scale: false });
    await frames.pass();
    await host.requests[1]?.lose();
    expect(talk.problem.value).toBeNull();
    host.status.set("open");
    await frames.pass();
    expect(host.asked()).toEqual([
      { ask: "walkthrough", state: { example: "dog", scale: false }, before: { example: "dog" } },
    ]);
    await host.requests[2]?.answer(sampleWalkthrough({ example: "dog", scale: false }));
    expect(talk.picture.value?.data.settings.scale).toBe(false);
  });
});
