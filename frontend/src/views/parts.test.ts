import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mount } from "../mount";
import { noAddress } from "../state/address";
import { type FakeHost, fakeFrames, fakeHost, mistake, sampleWalkthrough, settled } from "../state/testing";
import type { Recorded, Reply, State, Study, Training, Walkthrough } from "../wire/types";
import type { PartMaker } from "./part";
import { recordingPart } from "./recording/recording";
import { studyPart } from "./study/study";
import { trainingPart } from "./training/training";

const EXAMPLES: Reply = { data: { kind: "examples", examples: [] }, buffers: [] };
const DOG: State = { example: "the-dog-chased-the-cat" };
const PLAN = { optimizer: "sgd" as const, learning_rate: 0.1, steps: 50 };

let frames = fakeFrames();
let open = new AbortController();

beforeEach(() => {
  frames = fakeFrames();
  open = new AbortController();
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => frames.next(run));
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
});

afterEach(() => {
  open.abort();
  vi.unstubAllGlobals();
});

function predicting(state: State): Reply {
  const { data, buffers } = sampleWalkthrough(state);
  const whole = data as Walkthrough;
  return { data: { ...whole, settings: { ...whole.settings, predicts: true } }, buffers };
}

async function drawn(
  parts: PartMaker[],
  picture = predicting(DOG),
): Promise<{ el: HTMLElement; host: FakeHost }> {
  const el = document.createElement("div");
  document.body.append(el);
  const host = fakeHost();
  mount({ host, el, signal: open.signal, parts });
  await frames.pass();
  await host.requests[0]?.answer(EXAMPLES, picture);
  return { el, host };
}

function trained(losses: number[], stopped: string | null = null): Reply {
  const moments = losses.length;
  const data: Training = {
    ...{ kind: "training", words: ["a", "b"], losses: 0, recorded: losses.map((_, i) => i), points: 1 },
    ...{ explained: [0.75, 0.25], cosines: 2, sentences: ["a b a"], stopped },
  };
  const points = Float64Array.from({ length: moments * 4 }, (_, i) => i);
  const cosines = Float64Array.from({ length: moments * 4 }, (_, i) =>
    i % 4 === 0 || i % 4 === 3 ? 1 : i / 100,
  );
  return { data, buffers: [Float64Array.from(losses), points, cosines] };
}

const press = (el: HTMLElement, label: string) =>
  [...el.querySelectorAll("button")].find((button) => button.textContent === label)?.click();

const submit = (el: HTMLElement) =>
  el.querySelector("form.plan")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));

describe("the part on training", () => {
  it("is left out where the model predicts nothing", async () => {
    const { el } = await drawn([trainingPart], sampleWalkthrough(DOG));
    expect(el.querySelector("[data-stop=training]")).toBeNull();
    expect(el.querySelector("nav.pipeline")?.textContent).not.toContain("Training");
  });

  it("trains, and takes the whole page to the last step", async () => {
    const { el, host } = await drawn([trainingPart]);
    expect(el.querySelector("nav.pipeline")?.textContent).toContain("Training");
    submit(el);
    expect(host.asked()).toEqual([{ ask: "training", state: { ...DOG, training: PLAN } }]);
    await host.requests[1]?.answer(trained([2, 1, 0.5]));
    const state = { ...DOG, training: PLAN, step: 2 };
    expect(host.asked()).toEqual([{ ask: "walkthrough", state }]);
    await host.requests[2]?.answer(predicting(state));
    expect(el.querySelector(".player-readout")?.textContent).toBe("step 2 of 2: loss 0.50");
    expect(host.requests).toHaveLength(3);
  });

  it("shows the words and their cosines at the step of the slider", async () => {
    const { el, host } = await drawn([trainingPart]);
    submit(el);
    await host.requests[1]?.answer(trained([2, 1, 0.5]));
    await host.requests[2]?.answer(predicting({ ...DOG, training: PLAN, step: 2 }));
    const slider = el.querySelector<HTMLInputElement>("input.time")!;
    slider.value = "1";
    slider.dispatchEvent(new Event("input"));
    await frames.pass();
    expect(host.asked()).toMatchObject([{ ask: "walkthrough", state: { step: 1 } }]);
    const cells = el.querySelectorAll('[data-key="training/cosines/all"] td .number');
    expect([...cells].map((cell) => cell.textContent)).toEqual(["1.00", "0.05", "0.06", "1.00"]);
    expect(el.querySelectorAll(".trail")[0]?.getAttribute("points")?.split(" ")).toHaveLength(2);
    press(el, "undo");
    await frames.pass();
    expect(el.querySelector<HTMLElement>(".training-watched")?.hidden).toBe(false);
  });

  it("tells what is wrong beside the button, and leaves the page as it is", async () => {
    const { el, host } = await drawn([trainingPart]);
    submit(el);
    await host.requests[1]?.answer(mistake("The learning rate is too large."));
    expect(el.querySelector(".plan-said [role=alert]")?.textContent).toContain(
      "The learning rate is too large.",
    );
    expect(el.querySelector(".walk-bar .notices")?.textContent).toBe("");
    expect(host.requests).toHaveLength(2);
  });

  it("says that a training ended early, and shows what there is of it", async () => {
    const { el, host } = await drawn([trainingPart]);
    submit(el);
    await host.requests[1]?.answer(
      trained([2, 9], "It was stopped after step 1: the loss is no number any more."),
    );
    expect(el.querySelector(".plan-said .warning")?.textContent).toContain("stopped after step 1");
    expect(host.asked()).toMatchObject([{ ask: "walkthrough", state: { step: 1 } }]);
  });
});

const STUDY: Study = {
  ...{ kind: "study", vocabulary: ["he", "man"], sentences: [["he", "man"]], parameters: 12345, trained: "" },
  ...{ accuracy: 0.96, best_possible: 0.98, held_out: 500, kept: [0, 7, 31] },
  claims: [
    {
      ...{ id: "previous", says: "a head looks back", found: "one does", held: true, layer: 1, head: 3 },
      ...{ score: 0.97, measured_on: 500, drop: 0.4, drop_elsewhere: 0.01 },
      ...{ tokens: ["he", "<b>man</b>"], query: 1, key: 0 },
    },
  ],
  failures: [{ id: "unscaled", says: "without scaling", found: "it still learns", held: false }],
  alike: [{ words: ["he", "man"], alike: true, before: 0.1, after: 0.9 }],
};

describe("the part on the study model", () => {
  it("is left out where the session has none", async () => {
    const { el, host } = await drawn([studyPart]);
    expect(host.asked()).toEqual([{ ask: "study" }]);
    await host.requests[1]?.answer(mistake("ask: expected one of examples, walkthrough"));
    expect(el.querySelector("[data-stop=study]")).toBeNull();
    expect(el.querySelector(".walk-bar .notices")?.textContent).toBe("");
  });

  it("gets its place when it is known, and no matrix is drawn again for that", async () => {
    const { el, host } = await drawn([studyPart]);
    expect(el.querySelector("nav.pipeline")?.textContent).not.toContain("Study");
    await host.requests[1]?.answer({ data: STUDY, buffers: [] });
    expect(el.querySelector("nav.pipeline")?.textContent).toContain("Study");
    expect(el.querySelector("[data-stop=study]")).not.toBeNull();
    expect(el.dataset.drawn).toBe("1");
  });

  it("opens the sentence, the layer and the cell of a finding", async () => {
    const { el, host } = await drawn([studyPart]);
    await host.requests[1]?.answer({ data: STUDY, buffers: [] });
    expect(el.querySelector(".findings")?.textContent).toContain("0.97");
    expect([...el.querySelectorAll(".verdict")].map((one) => one.textContent)).toEqual([
      "held",
      "did not hold",
    ]);
    press(el, "open the sentence for: a head looks back");
    await frames.pass();
    const state = { example: "study", tokens: ["he", "<b>man</b>"] };
    expect(host.asked()).toMatchObject([
      { ask: "walkthrough", state, layer: 1 },
      { ask: "explain", state, quantity: "layer1.weights", index: [3, 1, 0] },
    ]);
    expect(el.querySelector("b")).toBeNull();
  });

  it("marks the step of its training that the page shows, and none beside another model", async () => {
    const { el, host } = await drawn([studyPart]);
    await host.requests[1]?.answer({ data: STUDY, buffers: [] });
    const marked = () =>
      [...el.querySelectorAll(".kept-steps [aria-current=true]")].map((one) => one.textContent);
    expect(marked()).toEqual([]);
    press(el, "after 7 steps");
    await frames.pass();
    const shown = host.requests.at(-1);
    await shown?.answer(predicting({ example: "study", step: 7 }));
    expect(marked()).toEqual(["after 7 steps"]);
  });
});

describe("the page of a recording", () => {
  async function opened(start: string) {
    const el = document.createElement("div");
    document.body.append(el);
    const host = fakeHost();
    const address = { ...noAddress(), read: () => start };
    mount({ host, el, signal: open.signal, parts: [recordingPart], address });
    await frames.pass();
    const asked = () => host.requests.flatMap(({ messages }) => messages.map(({ ask }) => ask));
    return { el, host, asked };
  }

  it("asks for the recording alone, and shows the step it was opened at", async () => {
    const { el, host, asked } = await opened("example=&step=3");
    expect(asked()).toEqual(["recording"]);
    expect(host.asked()[0]).toMatchObject({ state: { example: "", step: 3 } });
    const parameters = [{ name: "<b>", shape: [1, 2], size: 5, moved: null }];
    const data: Recorded = {
      ...{ kind: "recording", title: "The training in mine", facts: [], losses: 0 },
      ...{ saved: [0, 3, 5], step: 3, parameters },
    };
    await host.requests[0]?.answer({ data, buffers: [Float64Array.of(7, 5, 3, 2, 1)] });
    expect(el.querySelector(".part h2")?.textContent).toBe("The training in mine");
    expect(el.querySelector(".player-readout")?.textContent).toBe("step 3 of 5: loss 2.00");
    expect(el.querySelector("tbody")?.textContent).toBe("<b>shape1 × 2size (RMS)5.00moved");
    el.querySelector<HTMLInputElement>("input.time")!.value = "2";
    el.querySelector("input.time")?.dispatchEvent(new Event("input"));
    await settled();
    expect(host.asked()).toEqual([{ ask: "recording", state: { example: "", step: 5 } }]);
    expect(asked()).toEqual(["recording", "recording"]);
  });

  it("asks for no recording where there is an example or a model", async () => {
    for (const start of ["", "model=gpt2"]) {
      const { el, asked } = await opened(start);
      expect(asked()).not.toContain("recording");
      expect(el.querySelector('[data-stop="recording"]')).toBeNull();
    }
  });
});
