import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mount } from "../../mount";
import { type FakeHost, fakeFrames, fakeHost, mistake, sampleWalkthrough } from "../../state/testing";
import type { Head, HeadWalk, Model, Models, ModelToken, Reply } from "../../wire/types";
import { modelPart } from "./model";

const token = (text: string): ModelToken => ({
  text,
  start: 0,
  end: 1,
  special: false,
  padding: false,
  part: false,
});
const TOKENS = ["the", "<b>", "cat"].map(token);
const AGREES = { agrees: true, difference: 1e-7, tolerance: 1e-5, note: "" };
const STATISTICS = { entropy: 1, first: 0.5, previous: 0.25, induction: null, duplicate: 0, distance: 2 };

const MODELS: Models = {
  ...{ kind: "models", longest: 512 },
  models: [
    {
      name: "study",
      title: "The study model",
      about: "",
      needs: "",
      text: "the cat",
      decoder: false,
      generates: true,
      fixed: false,
    },
    {
      name: "t5",
      title: "T5",
      about: "",
      needs: "",
      text: "x",
      decoder: true,
      generates: false,
      fixed: false,
    },
    {
      name: "big",
      title: "Big",
      about: "",
      needs: "Install it first.",
      text: "y",
      decoder: false,
      generates: false,
      fixed: false,
    },
  ],
};
const MODEL: Model = {
  ...{
    kind: "model",
    long: false,
    fixed: false,
    name: "study",
    about: "float64",
    notes: [],
    text: "the cat",
    decoder: "",
    sequences: 1,
  },
  ...{
    main: "",
    statistics_note: "",
    rollout_note: "",
    walk_note: "",
    prompt: null,
    grid: null,
    before: [],
    agreement: "All 2 layers agree.",
  },
  towers: [
    {
      ...{ name: "", title: "", rows: "tokens", columns: "tokens", queries: TOKENS, keys: TOKENS },
      layers: [
        { number: 0, label: "L0", heads: 2, what: "attention", agreement: AGREES, thumbnails: 0 },
        { number: 1, label: "L1", heads: 0, what: "a recurrence", agreement: null, thumbnails: null },
      ],
    },
  ],
  statistics: [0, 1].map((head) => ({ ...STATISTICS, tower: "", layer: 0, head })),
  next: [{ text: "<i>", id: 7, probability: 0.5 }],
};
const HEAD: Head = {
  ...{
    kind: "head",
    tower: "",
    layer: 0,
    head: 0,
    label: "L0H0",
    facts: ["sdpa"],
    rows: "tokens",
    columns: "tokens",
  },
  ...{
    queries: TOKENS,
    keys: TOKENS,
    query_written: null,
    key_written: null,
    weights: 0,
    hidden: 1,
    title: "Layer 0, head 1",
    contribution: null,
    contribution_note: "No W_O.",
  },
  ...{ sink_share: null, blind: [], agreement: AGREES, statistics: null },
};

const model: Reply = { data: MODEL, buffers: [new Uint8Array(18)] };
const head: Reply = { data: HEAD, buffers: [new Float64Array(9).fill(0.5), new Uint8Array(9)] };

let frames = fakeFrames();
let open = new AbortController();

beforeEach(() => {
  frames = fakeFrames();
  open = new AbortController();
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => frames.next(run));
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
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

interface Shown {
  el: HTMLElement;
  part: HTMLElement;
  host: FakeHost;
  /** Answers the newest request for what this is, or else the newest of all but a map that is asked for ahead. */
  answer(...replies: Reply[]): Promise<void>;
  address(): string;
}

/** Answers what is asked about the worked example, as soon as it is. */
async function example(host: FakeHost): Promise<void> {
  const asked = host.requests.find(({ messages }) => messages[0]?.ask === "examples");
  await asked?.answer(
    { data: { kind: "examples", examples: [] }, buffers: [] },
    sampleWalkthrough({ example: "the-dog" }),
  );
  await frames.pass();
}

async function shown(address = ""): Promise<Shown> {
  const el = document.createElement("div");
  document.body.replaceChildren(el);
  const host = fakeHost();
  let written = address;
  const bar = {
    read: () => written,
    write: (text: string) => {
      written = text;
    },
    onArrival: () => undefined,
  };
  mount({ host, el, signal: open.signal, parts: [modelPart], address: bar });
  await frames.pass();
  const answer = async (reply: Reply) => {
    const { kind } = reply.data;
    const newest = (fits: (ask: string) => boolean) =>
      host.requests.filter(({ messages }) => fits(messages[0]?.ask ?? "")).at(-1);
    const asked = newest((ask) => ask === kind) ?? newest((ask) => ask !== "zoom" && ask !== "examples");
    await asked?.answer(reply);
    await frames.pass();
    await example(host);
  };
  await example(host);
  await answer({ data: MODELS, buffers: [] });
  await frames.pass();
  await new Promise((done) => setTimeout(done, 5));
  const part = () => el.querySelector<HTMLElement>("[data-stop=model]")!;
  return { el, part: part(), host, answer, address: () => written };
}

const press = (within: HTMLElement, label: string) =>
  [...within.querySelectorAll("button")].find((one) => one.textContent?.startsWith(label))?.click();

async function read(address = "model=study"): Promise<Shown> {
  const page = await shown(address);
  await page.answer(model);
  await page.answer(head);
  return page;
}

describe("the part on real models", () => {
  it("is left out where the session knows no models", async () => {
    const el = document.createElement("div");
    document.body.replaceChildren(el);
    const host = fakeHost();
    mount({ host, el, signal: open.signal, parts: [modelPart] });
    await host.requests[0]?.answer(
      { data: { kind: "examples", examples: [] }, buffers: [] },
      sampleWalkthrough({ example: "the-dog" }),
    );
    await host.requests[1]?.answer(mistake("ask: expected one of examples"));
    expect(el.querySelector("[data-stop=model]")).toBeNull();
  });

  it("stands alone on a page that was opened for a model, until the worked example is asked for", async () => {
    const { el } = await shown("model=study");
    expect(el.classList.contains("about-model")).toBe(true);
    expect(el.querySelector<HTMLElement>("h1.visually-hidden")?.hidden).toBe(false);
    press(el, "open the worked example");
    expect(el.classList.contains("about-model")).toBe(false);
    expect(el.querySelector<HTMLElement>("h1.visually-hidden")?.hidden).toBe(true);
  });

  it.each(["example=three-words&model=study", "model=study&cell=Q:0:0:0", "model=study&scale=0", ""])(
    "leaves the worked example where the address speaks of it: %s",
    async (address) => {
      const { el } = await shown(address);
      expect(el.classList.contains("about-model")).toBe(false);
    },
  );

  it("brings the worked example back where the session knows no models", async () => {
    const el = document.createElement("div");
    document.body.replaceChildren(el);
    const host = fakeHost();
    const bar = { read: () => "model=study", write: () => undefined, onArrival: () => undefined };
    mount({ host, el, signal: open.signal, parts: [modelPart], address: bar });
    await frames.pass();
    expect(el.classList.contains("about-model")).toBe(true);
    await host.requests[0]?.answer(mistake("ask: expected one of examples"));
    expect(el.classList.contains("about-model")).toBe(false);
    expect(host.asked().map(({ ask }) => ask)).toEqual(["examples", "walkthrough"]);
  });

  it("says what belonged to the old text and goes with it", async () => {
    const page = await read("model=study&pins=1,2&changes=weight:*:0:0:2:0:0.5");
    const text = page.part.querySelector("textarea")!;
    text.value = "another";
    press(page.part, "run");
    expect(page.part.querySelector(".model-form")?.textContent).toContain(
      "This is another text: the 2 pinned tokens and the weight set by hand were of the old one and were let go.",
    );
  });

  it("runs nothing until it is asked to, and then the text that was typed", async () => {
    const { part, host } = await shown();
    expect(host.requests).toHaveLength(2);
    const text = part.querySelector("textarea")!;
    expect(text.value).toBe("the cat");
    text.value = "a <b>dog</b>";
    text.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    expect(host.asked()).toEqual([{ ask: "model", state: { model: "study", text: "a <b>dog</b>" } }]);
    expect(part.querySelector(".model-status")?.textContent).toContain("The study model is reading");
  });

  it("tells a mistake at its field, and keeps what was typed and what was shown", async () => {
    const page = await read("model=study&text=the%20cat");
    const text = page.part.querySelector("textarea")!;
    text.value = "too long";
    press(page.part, "run");
    await page.answer({
      data: { kind: "error", message: "text: 600 tokens, at most 512.", where: "text" },
      buffers: [],
    });
    expect(text.value).toBe("too long");
    expect(text.hasAttribute("aria-invalid")).toBe(true);
    const field = text.closest(".model-field");
    expect(field?.querySelector("[role=alert]")?.textContent).toContain("600 tokens, at most 512");
    expect(page.part.querySelector(".weight-map")).not.toBeNull();
  });

  it("shows a second text for a model that takes one, and says what a model needs", async () => {
    const { part } = await shown();
    const choose = (name: string) => {
      const picker = part.querySelector<HTMLSelectElement>("select")!;
      picker.value = name;
      picker.dispatchEvent(new Event("change"));
    };
    const [first, second] = part.querySelectorAll<HTMLElement>("textarea");
    const hidden = () => second?.closest<HTMLElement>(".model-field")?.hidden;
    expect(hidden()).toBe(true);
    choose("t5");
    expect(hidden()).toBe(false);
    expect((first as HTMLTextAreaElement).value).toBe("x");
    choose("big");
    expect(part.textContent).toContain("Install it first.");
  });

  it("asks for the head once the model is there, and opens another", async () => {
    const page = await read();
    expect(page.part.textContent).toContain("All 2 layers agree.");
    expect(page.part.querySelector(".no-heads")?.textContent).toBe("a recurrence");
    expect(page.part.querySelector("b, i")).toBeNull();
    page.part.querySelectorAll<HTMLElement>(".head-cell")[1]?.click();
    expect(page.host.asked()).toEqual([{ ask: "head", state: { model: "study", layer: 0, head: 1 } }]);
    await new Promise((done) => setTimeout(done, 5));
    expect(page.address()).toContain("model=study&block=0&head=1");
  });

  it("adds a change and takes it away, each time with new numbers", async () => {
    const page = await read();
    press(page.part, "switch off");
    const state = { model: "study", changes: [{ kind: "off", layer: 0, head: 0 }] };
    expect(page.host.asked()).toEqual([{ ask: "model", state }]);
    await page.answer({ ...model, data: { ...MODEL, before: [{ text: "z", id: 9, probability: 0.6 }] } });
    await page.answer(head);
    expect(page.part.querySelector(".model-changes")?.textContent).toContain("not the model's own numbers");
    expect(page.part.querySelector(".ranking")?.textContent).toContain("before");
    page.part.querySelector<HTMLButtonElement>(".change-chips button")?.click();
    expect(page.host.asked()).toEqual([{ ask: "model", state: { model: "study" } }]);
  });

  it("takes mask and scale from a whole layer, and lets go of a change that was refused", async () => {
    const page = await read();
    press(page.part, "no mask");
    const state = { model: "study", changes: [{ kind: "mask", layer: 0 }] };
    expect(page.host.asked()).toEqual([{ ask: "model", state }]);
    await page.answer({
      data: { kind: "error", message: "changes: not here", where: "changes" },
      buffers: [],
    });
    expect(page.part.querySelector("[role=alert]")?.textContent).toContain("not here");
    page.part.querySelector<HTMLButtonElement>(".change-chips button")?.click();
    expect(page.host.asked()).toEqual([{ ask: "model", state: { model: "study" } }]);
  });

  it("sets a weight by hand, and tells what is no weight", async () => {
    const page = await read();
    const [, , value] = page.part.querySelectorAll<HTMLInputElement>(".set-weight input");
    const submit = () =>
      page.part
        .querySelector("form.set-weight")
        ?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    expect(page.part.querySelector(".model-switches")?.textContent).toContain(
      "the other weights of its row stay as they are",
    );
    value!.value = "1,5";
    submit();
    expect(page.part.querySelector(".model-switches [role=alert]")?.textContent).toContain("“1,5” was given");
    value!.value = "0.5";
    submit();
    expect(page.host.asked()).toMatchObject([
      { state: { changes: [{ kind: "weight", layer: 0, head: 0, query: 2, key: 0, value: 0.5 }] } },
    ]);
  });

  it("walks through the head, and explains a cell of what was folded by its whole index", async () => {
    const page = await read("model=study&query=1");
    press(page.part, "walk through");
    expect(page.host.asked()).toEqual([{ ask: "headwalk", state: { model: "study" }, query: 1 }]);
    const data: HeadWalk = {
      ...{
        kind: "headwalk",
        label: "L0H0",
        query: 1,
        queries: ["the", "<b>", "cat"],
        keys: ["the", "<b>", "cat"],
        notices: [],
      },
      quantities: [
        {
          ...{
            name: "Q",
            axes: ["query", "feature"],
            shape: [1, 2],
            values: 0,
            operation: "given",
            inputs: [],
          },
          ...{ latex: "", formula: null, editable: false, says: "what it asks", scale: "signed" },
          folds: [
            { places: [2], of: 3, says: "2 more queries are not shown" },
            { places: [0, 9], of: 64, says: "" },
          ],
        },
      ],
      stops: [{ id: "qkv", title: "Queries", short: "Q", text: [], formulas: [], quantities: ["Q"] }],
    };
    await page.answer({ data, buffers: [Float64Array.from([1, 2])] });
    const cells = page.part.querySelectorAll<HTMLElement>(".model-walk td");
    expect([...cells].map((cell) => cell.getAttribute("aria-label") ?? cell.title)[1]).toContain(
      "query 2 cat, feature 9",
    );
    expect(page.part.querySelector(".model-walk")?.textContent).toContain("2 more queries are not shown");
    cells[1]?.click();
    expect(page.host.asked()).toEqual([
      { ask: "explain", state: { model: "study" }, quantity: "Q", index: [2, 9], digits: 2 },
    ]);
  });

  it("keeps what leads to Q, K and V in a fold, which a link into it opens", async () => {
    const page = await shown("model=study&worked=1&number=hidden:1:0");
    await page.answer(model);
    const asked = (kind: string) => page.host.requests.find(({ messages }) => messages[0]?.ask === kind);
    await asked("head")?.answer(head);
    const quantity = (name: string): HeadWalk["quantities"][number] => ({
      ...{ name, axes: ["query", "feature"], shape: [1, 2], values: 0, operation: "given", inputs: [] },
      ...{ latex: "", formula: null, editable: false, says: "", scale: "signed" },
      folds: [{ places: [1], of: 3, says: "" }, null],
    });
    const names = ["hidden", "Q", "K", "V"];
    const data: HeadWalk = {
      ...{ kind: "headwalk", label: "L0H0", query: 1, notices: ["sdpa", "of this walkthrough"] },
      ...{ queries: ["the", "<b>", "cat"], keys: ["the", "<b>", "cat"] },
      quantities: names.map(quantity),
      stops: [{ id: "qkv", title: "Queries", short: "Q", text: [], formulas: [], quantities: names }],
    };
    await asked("headwalk")?.answer({ data, buffers: [Float64Array.from([1, 2])] });
    await frames.pass();
    const fold = page.part.querySelector<HTMLDetailsElement>(".walk-making")!;
    expect(fold.querySelector("summary")?.textContent).toContain("1 matrix");
    expect(fold.open).toBe(true);
    expect(fold.querySelectorAll("figure")).toHaveLength(1);
    expect(page.part.querySelectorAll(".model-walk figure")).toHaveLength(4);
    expect(fold.querySelector(".matrix-shape")?.textContent).toContain("3 × 2");
    // What the head has said already is not said again.
    expect(page.part.querySelector(".model-walking")?.textContent).toBe("of this walkthrough");
  });

  it("asks again what had no answer when the session comes back", async () => {
    const page = await shown("model=study");
    await page.host.requests.find(({ messages }) => messages[0]?.ask === "model")?.lose();
    const before = page.host.requests.length;
    page.host.status.set("lost");
    page.host.status.set("open");
    const asked = page.host.requests.slice(before).flatMap(({ messages }) => messages.map(({ ask }) => ask));
    expect(asked).toContain("model");
  });
});

describe("a long text", () => {
  const working: Reply = {
    data: {
      kind: "working",
      name: "study",
      what: "Looking.",
      done: 1,
      total: 2,
      unit: "heads",
      seconds: 3,
      layers: [],
    },
    buffers: [],
  };
  const zoom: Reply = {
    data: {
      ...{ kind: "zoom", label: "L0H0", tower: "", layer: 0, head: 0, queries: 3, keys: 3, rows: "tokens" },
      ...{ columns: "tokens", facts: [], statistics: null, agreement: AGREES, mean: 0, largest: 1 },
      ...{ edges: [0, 1, 2, 4], histogram: [0.5, 0.25, 0.25], tops: { mean: 1, largest: 1 } },
    },
    buffers: [new Float32Array(9).fill(0.5), new Float32Array(9).fill(0.5)],
  };
  const asks = ({ host }: Shown) => host.requests.flatMap(({ messages }) => messages.map(({ ask }) => ask));

  it("is asked for again until it is read, and says meanwhile how far it is", async () => {
    const page = await shown("model=study");
    await page.answer(working);
    const progress = page.part.querySelector<HTMLElement>(".model-working")!;
    expect(progress.hidden).toBe(false);
    expect(progress.textContent).toContain("Looking.");
    await vi.waitFor(() => expect(asks(page).filter((ask) => ask === "model")).toHaveLength(2));
    await page.answer({ data: { ...MODEL, long: true }, buffers: model.buffers });
    expect(progress.hidden).toBe(true);
  });

  it("is asked for in one turn, and the worked example, which stands back, when its map is there", async () => {
    const page = await shown("model=study&block=0&head=1");
    expect(asks(page)).toEqual(["models", "model", "zoom"]);
    await page.answer({ data: { ...MODEL, long: true }, buffers: model.buffers });
    expect(asks(page)).toHaveLength(3);
    await page.answer(zoom);
    await vi.waitFor(async () => {
      await frames.pass();
      expect(asks(page)).toEqual(expect.arrayContaining(["look", "links", "examples", "walkthrough"]));
    });
    expect(asks(page).filter((ask) => ask === "zoom")).toHaveLength(1);
  });

  it("has a map to zoom into in the place of map, lines and switches", async () => {
    const page = await shown("model=study&pool=mean&number=weights:2:1");
    await page.answer({ data: { ...MODEL, long: true }, buffers: model.buffers });
    expect(asks(page)).not.toContain("head");
    const asked = page.host.requests.find(({ messages }) => messages[0]?.ask === "zoom");
    await asked?.answer(zoom);
    await vi.waitFor(async () => {
      await frames.pass();
      expect(asks(page)).toEqual(expect.arrayContaining(["zoom", "explain", "links"]));
    });
    expect(page.part.querySelector<HTMLElement>(".zoom-body")?.hidden).toBe(false);
    expect(page.part.querySelector(".deep-zoom h3")?.textContent).toBe("Layer 0, head 0");
    expect(page.part.querySelector<HTMLElement>(".model-head")?.hidden).toBe(true);
    expect(page.part.querySelector<HTMLInputElement>(".deep-zoom input[value=mean]")?.checked).toBe(true);
    expect(page.address()).toContain("number=weights:2:1");
  });
});
