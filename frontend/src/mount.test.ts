import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mount } from "./mount";
import type { Address } from "./state/address";
import { type FakeHost, fakeFrames, fakeHost, mistake, sampleWalkthrough } from "./state/testing";
import type { Reply, State, Walkthrough } from "./wire/types";

const EXAMPLES: Reply = {
  data: {
    kind: "examples",
    examples: [
      { name: "the-dog-chased-the-cat", title: "Dog", look_for: "", tokens: ["a"] },
      { name: "other", title: "Other", look_for: "", tokens: ["b"] },
    ],
  },
  buffers: [],
};

interface Mounted {
  host: FakeHost;
  el: HTMLElement;
  written: string[];
  arrive(text: string): void;
  pass(): Promise<void>;
  stop: AbortController;
}

let frames = fakeFrames();
let open: AbortController[] = [];

beforeEach(() => {
  frames = fakeFrames();
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
  for (const one of open) one.abort();
  open = [];
  vi.unstubAllGlobals();
});

/** Mounted in a shadow root, as in a notebook: whatever looks into the document instead finds nothing. */
async function mounted(start = "", steps?: number[]): Promise<Mounted> {
  const outer = document.createElement("div");
  document.body.append(outer);
  const el = document.createElement("div");
  outer.attachShadow({ mode: "open" }).append(el);
  const written: string[] = [];
  let arrive: (text: string) => void = () => undefined;
  const address: Address = {
    read: () => start,
    write: (text) => written.push(text),
    onArrival: (listener) => {
      arrive = listener;
    },
  };
  const host = Object.assign(fakeHost(), steps && { steps });
  const stop = new AbortController();
  open.push(stop);
  mount({ host, el, signal: stop.signal, address, parts: [] });
  await frames.pass();
  return { host, el, written, arrive: (text) => arrive(text), pass: frames.pass, stop };
}

async function drawn(start = "", state: State = { example: "the-dog-chased-the-cat" }): Promise<Mounted> {
  const page = await mounted(start);
  await page.host.requests[0]?.answer(EXAMPLES, sampleWalkthrough(state));
  return page;
}

function cell(el: HTMLElement, key: string, row: number, column: number): HTMLElement {
  const found = el
    .querySelector(`[data-key="${key}"]`)
    ?.querySelectorAll("tbody tr")
    [row]?.querySelectorAll("td")[column];
  if (!(found instanceof HTMLElement)) throw new Error(`${key} has no cell ${row}, ${column}`);
  return found;
}

/** A picture of two layers, with X of one of them. */
function layered(layer: number): Reply {
  const { data, buffers } = sampleWalkthrough({ example: "the-dog-chased-the-cat" });
  const whole = data as Walkthrough;
  const [first] = whole.quantities;
  const [stop] = whole.stops;
  const name = `layer${layer}.X`;
  const quantities = [...whole.quantities, { ...first!, name, editable: false }];
  const stops = [{ ...stop!, quantities: ["E", name] }];
  return { data: { ...whole, layers: 2, layer, quantities, stops }, buffers };
}

const last = (list: string[]) => list[list.length - 1];

describe("the mounted walkthrough", () => {
  it("draws in a shadow root, and leaves nothing behind when it ends", async () => {
    const { el, stop } = await drawn();
    expect(el.querySelector("h1")?.textContent).toBe("Example the-dog-chased-the-cat");
    expect([...el.querySelectorAll("h2")].map((heading) => heading.textContent)).toContain("Scores");
    expect(cell(el, "scores/scores/1", 2, 1).textContent).toContain("16");
    expect(el.dataset.drawn).toBe("1");
    expect(document.querySelector(".matrix")).toBeNull();
    stop.abort();
    expect(el.children).toHaveLength(0);
  });

  it("shows words that look like markup as text", async () => {
    const { el, host, pass, arrive } = await drawn();
    arrive("tokens=%3Cimg%20src%3Dx%3E");
    await pass();
    await host.requests[1]?.answer(
      sampleWalkthrough({ example: "the-dog-chased-the-cat", tokens: ["<img src=x>"] }),
    );
    expect(el.querySelector("img")).toBeNull();
    expect(el.querySelector(".words")?.textContent).toContain("<img src=x>");
  });

  it("asks for the arithmetic of a clicked cell and writes it into the address", async () => {
    const { el, host, pass, written } = await drawn();
    cell(el, "scores/scores/1", 2, 0).click();
    await pass();
    expect(host.asked()).toMatchObject([{ ask: "explain", quantity: "scores", index: [1, 2, 0], digits: 2 }]);
    await vi.waitFor(() => expect(last(written)).toBe("example=the-dog-chased-the-cat&cell=scores:1:2:0"));
    expect(cell(el, "scores/scores/1", 2, 0).classList).toContain("opened");
    expect(cell(el, "scores/scores/0", 2, 0).classList).not.toContain("opened");
  });

  it("takes an edit with the keyboard, and takes it back with Ctrl+Z", async () => {
    const { el, host, pass, written } = await drawn();
    const entry = cell(el, "embeddings/E/all", 1, 0);
    entry.dispatchEvent(new KeyboardEvent("keydown", { key: "F2", bubbles: true }));
    const input = entry.querySelector("input");
    if (!input) throw new Error("no editor opened");
    input.value = "-0.5";
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    await pass();
    const edits = [{ matrix: "E", row: "b", column: 0, value: -0.5 }];
    expect(host.asked()).toMatchObject([
      { ask: "walkthrough", state: { edits }, before: { example: "the-dog-chased-the-cat" } },
    ]);
    await vi.waitFor(() => expect(last(written)).toContain("edits=E:b:0:-0.5"));
    el.dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true }));
    await vi.waitFor(() => expect(last(written)).toBe("example=the-dog-chased-the-cat"));
  });

  it("keeps the picture and the edit beside a mistake, and offers to undo it", async () => {
    const { el, host, pass, written, arrive } = await drawn();
    arrive("heads=7");
    await pass();
    await host.requests[1]?.answer(mistake("7 heads do not divide 2 columns."));
    const alert = el.querySelector("[role=alert].notice");
    expect(alert?.textContent).toContain("7 heads do not divide 2 columns.");
    expect(cell(el, "scores/scores/1", 2, 1).textContent).toContain("16");
    await vi.waitFor(() => expect(last(written)).toBe("example=the-dog-chased-the-cat&heads=7"));
    alert?.querySelector("button")?.click();
    await vi.waitFor(() => expect(last(written)).toBe("example=the-dog-chased-the-cat"));
  });

  it("gives a new word its suggested row in the same step, and says so", async () => {
    const { el, host, pass, written } = await drawn();
    el.querySelector<HTMLElement>(".chip.add")?.click();
    const input = el.querySelector<HTMLInputElement>(".chip-input");
    if (!input) throw new Error("no field opened");
    input.value = "fox";
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    await pass();
    expect(host.asked()).toMatchObject([{ ask: "suggest", word: "fox" }]);
    await host.requests[1]?.answer({
      data: { kind: "suggestion", word: "fox", row: [1, 2], how: "Its row is a suggestion." },
      buffers: [],
    });
    await pass();
    expect(host.asked()).toMatchObject([
      { ask: "walkthrough", state: { tokens: ["a", "b", "a", "fox"], rows: { fox: [1, 2] } } },
    ]);
    await vi.waitFor(() => expect(last(written)).toContain("tokens=a,b,a,fox&rows=fox:1:2"));
    expect(el.querySelector(".walk-bar .notices")?.textContent).toContain(
      "“fox” is new. Its row is a suggestion.",
    );
  });

  it("shows one layer of several, and the other one when a cell of it is opened", async () => {
    const start = "layer=1&cell=layer1.X:0:0";
    const page = await mounted(start);
    const { el, host, pass, written } = page;
    expect(host.requests[0]?.messages[1]).toMatchObject({ ask: "walkthrough", layer: 1 });
    await host.requests[0]?.answer(EXAMPLES, layered(1), {
      data: {
        ...{ kind: "explanation", quantity: "layer1.X", index: [0, 0], label: "layer1.X[0,0]", place: "" },
        ...{
          value: "1.00",
          full: "1",
          formula: null,
          terms: [],
          sources: [],
          feeds: [],
          spoken: "",
          text: "",
        },
        latex: "",
        lines: [
          {
            relation: "=",
            arithmetic: {
              ...{ kind: "cell", text: "1.00", label: "layer0.hidden[0,0]", quantity: "layer0.hidden" },
              index: [0, 0],
            },
          },
        ],
      },
      buffers: [],
    });
    const picker = el.querySelector(".layer-picker");
    expect([...(picker?.querySelectorAll("label") ?? [])].map((label) => label.textContent)).toEqual([
      "layer 0",
      "layer 1",
    ]);
    expect(cell(el, "embeddings/X/all", 0, 0).classList).toContain("opened");
    const factor = el.querySelector<HTMLElement>(".cell-button");
    expect(factor?.textContent).toContain("hidden[0,0] (layer 0)");
    factor?.click();
    await pass();
    expect(host.asked()[0]).not.toHaveProperty("layer");
    expect(host.asked()[1]).toMatchObject({ ask: "explain", quantity: "layer0.hidden" });
    await vi.waitFor(() => expect(last(written)).toContain("cell=layer0.hidden:0:0"));
    expect(picker?.querySelector<HTMLInputElement>("input:checked")?.value).toBe("0");
  });

  it("says that the server has stopped, keeps the edits, and asks again when it is back", async () => {
    const { el, host, pass } = await drawn();
    host.status.set("lost");
    expect(el.querySelector(".walk-bar .notices")?.textContent).toContain("your edits are kept here");
    host.status.set("open");
    await pass();
    expect(host.asked()).toMatchObject([{ ask: "walkthrough" }]);
    expect(el.querySelector(".walk-bar .notices")?.textContent).toBe("");
  });

  it("says that the server does not answer, where it is there and silent", async () => {
    const { el, host } = await drawn();
    host.status.set("silent");
    const told = el.querySelector(".walk-bar .notices")?.textContent;
    expect(told).toContain("The server does not answer; your edits are kept here.");
    expect(told).not.toContain("stopped");
  });

  it("asks for steps that its host holds, and its address says which", async () => {
    const { el, host, pass, written, arrive } = await mounted("step=7", [0, 5, 11]);
    const told = () => el.querySelector(".walk-bar .notices")?.textContent;
    expect(host.requests[0]?.messages[1]).toMatchObject({ ask: "walkthrough", state: { step: 5 } });
    expect(told()).toContain("Step 7 was not kept; this is step 5.");
    expect(last(written)).toBe("example=the-dog-chased-the-cat&step=5");
    await host.requests[0]?.answer(EXAMPLES, sampleWalkthrough({ example: "the-dog-chased-the-cat" }));
    arrive("step=99");
    await pass();
    expect(host.asked()).toMatchObject([{ ask: "walkthrough", state: { step: 11 } }]);
    expect(told()).toContain("Step 99 was not kept; this is step 11.");
    expect(last(written)).toBe("example=the-dog-chased-the-cat&step=11");
  });

  it("tells a bad link in one sentence and draws the rest of it", async () => {
    const { el, host } = await drawn("mask=sideways&scale=0");
    expect(host.requests[0]?.messages[1]).toMatchObject({ ask: "walkthrough", state: { scale: false } });
    expect(el.querySelector(".walk-bar .notices")?.textContent).toContain(
      "its mask says “sideways” where none or causal was expected",
    );
  });
});
