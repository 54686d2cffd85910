import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import page, * as main from "../main";
import { render, sharedAddress, type WidgetModel } from "./anywidget";
import { ConnectionLost } from "./host";
import { BUSY, GONE, kernelHost } from "./kernel";
import { keepKeys } from "./notebookkeys";
import { notebookTheme } from "./notebooktheme";

/** A model as notebooks give one: values, events, and what was sent to the kernel. */
class FakeModel implements WidgetModel {
  readonly sent: { kind: string; view: string; text: string }[] = [];
  saved = 0;
  gone = false;
  private readonly listeners = new Map<string, Set<(...given: unknown[]) => void>>();

  constructor(private readonly values: Record<string, unknown> = {}) {}

  get(name: string): unknown {
    return this.values[name];
  }
  set(name: string, value: unknown): void {
    this.values[name] = value;
    this.fire(`change:${name}`);
  }
  save_changes(): void {
    this.saved += 1;
  }
  send(content: unknown): void {
    if (this.gone) throw new Error("Kernel is dead");
    this.sent.push(content as { kind: string; view: string; text: string });
  }
  on(name: string, listener: (...given: unknown[]) => void): void {
    this.listeners.set(name, (this.listeners.get(name) ?? new Set()).add(listener));
  }
  off(name: string, listener: (...given: unknown[]) => void): void {
    this.listeners.get(name)?.delete(listener);
  }
  fire(name: string, ...given: unknown[]): void {
    for (const run of [...(this.listeners.get(name) ?? [])]) run(...given);
  }
  get listening(): number {
    return [...this.listeners.values()].reduce((sum, all) => sum + all.size, 0);
  }
  /** The kernel answers the last request; the frame lies somewhere in a larger buffer, as in Jupyter. */
  reply(data: object, to = this.sent.at(-1)): void {
    const { id } = JSON.parse(to?.text ?? "{}");
    const header = new TextEncoder().encode(
      JSON.stringify({ clearhead: 1, id, replies: [{ data, buffers: [] }] }),
    );
    const whole = new Uint8Array(3 + 4 + header.length);
    new DataView(whole.buffer).setUint32(3, header.length, true);
    whole.set(header, 7);
    this.fire("msg:custom", { kind: "reply", view: to?.view }, [new DataView(whole.buffer, 3)]);
  }
}

const ASK = [{ ask: "examples" }] as const;
let ending: AbortController;

beforeEach(() => {
  ending = new AbortController();
  vi.useFakeTimers();
});

afterEach(() => {
  ending.abort();
  vi.useRealTimers();
});

it("is what the page's script exports", () => {
  expect(page).toEqual({ render });
  expect(Object.keys(main)).toEqual(["default"]);
});

describe("the kernel's host", () => {
  it("sends a request in one message, and takes its reply from wherever it lies in a buffer", async () => {
    const model = new FakeModel();
    const host = kernelHost(model, ending.signal);
    const asked = host.ask([...ASK, ...ASK]);
    expect(model.sent).toHaveLength(1);
    expect(JSON.parse(model.sent[0]?.text ?? "")).toEqual({ id: 1, asks: [...ASK, ...ASK] });
    model.reply({ kind: "examples", examples: [] });
    expect(await asked).toEqual([{ data: { kind: "examples", examples: [] }, buffers: [] }]);
  });

  it("leaves the replies to another view of the same widget alone", async () => {
    const model = new FakeModel();
    const [one, other] = [kernelHost(model, ending.signal), kernelHost(model, ending.signal)];
    const heard: string[] = [];
    const first = one.ask([...ASK]).then(() => heard.push("one"));
    const second = other.ask([...ASK]).then(() => heard.push("other"));
    model.reply({ kind: "examples", examples: [] }, model.sent[1]);
    await second;
    expect(heard).toEqual(["other"]);
    model.reply({ kind: "examples", examples: [] }, model.sent[0]);
    await first;
    expect(heard).toEqual(["other", "one"]);
  });

  it("says that nobody answers, and goes on when the answer comes", async () => {
    const model = new FakeModel();
    const host = kernelHost(model, ending.signal);
    const asked = host.ask([...ASK]);
    vi.advanceTimersByTime(4999);
    expect(host.status.value).toBe("open");
    vi.advanceTimersByTime(1);
    expect(host.status.value).toBe("silent");
    expect(host.says?.silent).toBe(BUSY);
    model.reply({ kind: "examples", examples: [] });
    await asked;
    expect(host.status.value).toBe("open");
  });

  it("says that the kernel is gone, whether the notebook tells or sending fails", async () => {
    const told = new FakeModel();
    const host = kernelHost(told, ending.signal);
    const asked = host.ask([...ASK]);
    told.fire("comm_live_update");
    await expect(asked).rejects.toBeInstanceOf(ConnectionLost);
    expect(host.status.value).toBe("lost");
    expect(host.says?.lost).toBe(GONE);
    const dead = new FakeModel();
    dead.gone = true;
    const other = kernelHost(dead, ending.signal);
    await expect(other.ask([...ASK])).rejects.toBeInstanceOf(ConnectionLost);
    expect(other.status.value).toBe("lost");
  });

  it("rejects what cannot be read, and listens no more when it ends", async () => {
    const model = new FakeModel();
    const host = kernelHost(model, ending.signal);
    const asked = host.ask([...ASK]);
    model.fire("msg:custom", { kind: "reply", view: model.sent[0]?.view }, []);
    await expect(asked).rejects.toThrow("without its numbers");
    const last = host.ask([...ASK]);
    ending.abort();
    await expect(last).rejects.toBeInstanceOf(ConnectionLost);
    expect(model.listening).toBe(0);
  });
});

describe("the address that views share", () => {
  it("writes the page as text and as data, in one message", () => {
    const model = new FakeModel({ address: "example=three-words" });
    const address = sharedAddress(model);
    expect(address.read()).toBe("example=three-words");
    address.write("example=three-words&mask=causal&cell=weights:0:1:0", false);
    expect(model.get("address")).toBe("example=three-words&mask=causal&cell=weights:0:1:0");
    expect(model.get("_page")).toMatchObject({
      state: { example: "three-words", mask: "causal" },
      cell: { quantity: "weights", index: [0, 1, 0] },
    });
    expect(model.saved).toBe(1);
    address.write("example=three-words&mask=causal&cell=weights:0:1:0", false);
    expect(model.saved).toBe(1);
  });

  it("arrives in the other views, and not in the one that wrote it", () => {
    const model = new FakeModel({ address: "" });
    const [one, other] = [sharedAddress(model), sharedAddress(model)];
    const heard: string[] = [];
    one.onArrival((text) => heard.push(`one ${text}`), ending.signal);
    other.onArrival((text) => heard.push(`other ${text}`), ending.signal);
    one.write("example=three-words", false);
    expect(heard).toEqual(["other example=three-words"]);
    model.set("address", "example=two-heads"); // from Python
    expect(heard.slice(1)).toEqual(["one example=two-heads", "other example=two-heads"]);
    ending.abort();
    expect(model.listening).toBe(0);
  });
});

describe("keys", () => {
  function typed(key: string, how: object = {}): { outside: string[]; heldOff: boolean } {
    const [place, inner, outside] = [
      document.createElement("div"),
      document.createElement("input"),
      [] as string[],
    ];
    place.append(inner);
    document.body.append(place);
    keepKeys(place, ending.signal);
    const hear = (event: Event) => outside.push((event as KeyboardEvent).key);
    document.body.addEventListener("keydown", hear, { signal: ending.signal });
    inner.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, ...how }));
    const heldOff = place.hasAttribute("data-lm-suppress-shortcuts");
    place.remove();
    return { outside, heldOff };
  }

  it.each(["d", "Escape", "Enter", "z"])("%s stays in the view", (key) => {
    expect(typed(key)).toEqual({ outside: [], heldOff: true });
  });

  it("Ctrl+S saves the notebook", () => {
    expect(typed("s", { ctrlKey: true })).toEqual({ outside: ["s"], heldOff: false });
    ending.abort();
    ending = new AbortController();
    expect(typed("S", { metaKey: true }).heldOff).toBe(false);
  });
});

describe("the notebook's theme", () => {
  const { body, documentElement: html } = document;

  afterEach(() => {
    body.removeAttribute("data-jp-theme-light");
    for (const element of [body, html]) element.removeAttribute("class");
    html.removeAttribute("theme");
  });

  it.each([
    ["JupyterLab, dark", () => body.setAttribute("data-jp-theme-light", "false"), "dark"],
    ["JupyterLab, light", () => body.setAttribute("data-jp-theme-light", "true"), "light"],
    ["VS Code, dark", () => body.classList.add("vscode-dark"), "dark"],
    ["VS Code, light", () => body.classList.add("vscode-light"), "light"],
    ["VS Code, high contrast", () => body.classList.add("vscode-high-contrast"), "dark"],
    [
      "VS Code, high contrast on light",
      () => body.classList.add("vscode-high-contrast", "vscode-high-contrast-light"),
      "light",
    ],
    ["Colab, dark", () => html.setAttribute("theme", "dark"), "dark"],
    ["marimo, dark", () => body.classList.add("dark", "dark-theme"), "dark"],
    ["marimo, light", () => body.classList.add("light", "light-theme"), "light"],
    ["none that is known", () => undefined, "auto"],
  ])("%s", (_name, dress, theme) => {
    dress();
    expect(notebookTheme(ending.signal).value).toBe(theme);
  });

  it("is followed", async () => {
    vi.useRealTimers();
    const theme = notebookTheme(ending.signal);
    body.setAttribute("data-jp-theme-light", "false");
    await vi.waitFor(() => expect(theme.value).toBe("dark"));
  });
});
