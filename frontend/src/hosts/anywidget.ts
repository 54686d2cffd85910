/** A page in the cell of a notebook: what `render` fills, and the host that speaks to the kernel through the widget. */
import { h } from "../draw/dom";
import { BOX } from "../draw/sight";
import { adoptSheet } from "../draw/styles";
import { FIRST_EXAMPLE, mount } from "../mount";
import type { Address } from "../state/address";
import { readAddress } from "../state/url";
import { parts } from "../views/parts";
import cellCss from "./anywidget.css";
import { kernelHost } from "./kernel";
import { keepKeys } from "./notebookkeys";
import { notebookTheme } from "./notebooktheme";

/** The part of anywidget's model that is used here; every notebook has it. */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  // biome-ignore lint/suspicious/noExplicitAny: each event has arguments of its own
  on(name: string, listener: (...given: any[]) => void): void;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  off(name: string, listener: (...given: any[]) => void): void;
}

/** Fills a cell's output with a view; what it returns ends the view. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const ending = new AbortController();
  const stop = ending.signal;
  // In a shadow root of its own, the notebook's styles stay out and the page's stay in.
  const place = h("div", { class: "clearhead-view" });
  const shadow = place.attachShadow({ mode: "open" });
  const page = h("div");
  const box = h("div", { class: "cell", [BOX]: true, tabindex: "-1" }, page);
  shadow.append(box);
  el.replaceChildren(place);
  adoptSheet(shadow, cellCss);
  keepKeys(place, stop);
  const drawHeight = () => box.style.setProperty("--height", `${Number(model.get("height"))}px`);
  drawHeight();
  listen(model, "change:height", drawHeight, stop);
  mount({
    host: kernelHost(model, stop),
    el: page,
    signal: stop,
    address: sharedAddress(model),
    parts: (model.get("_parts") as string[]).flatMap((id) => parts[id] ?? []),
    surroundings: notebookTheme(stop),
  });
  return () => ending.abort();
}

/** Listens to the model until `stop`. */
export function listen<T extends unknown[]>(
  model: WidgetModel,
  name: string,
  run: (...given: T) => void,
  stop: AbortSignal,
): void {
  model.on(name, run);
  stop.addEventListener("abort", () => model.off(name, run));
}

/**
 * The address that all views of one widget share, and Python with them. Beside it goes the page as data, so that nobody
 * has to read addresses in Python.
 */
export function sharedAddress(model: WidgetModel): Address {
  let own = String(model.get("address"));
  return {
    read: () => own,
    write(text) {
      if (text === own) return;
      own = text;
      const { page } = readAddress(text, FIRST_EXAMPLE);
      model.set("address", text);
      model.set("_page", plain(page));
      model.save_changes();
    },
    onArrival(listener, stop) {
      const look = () => {
        const text = String(model.get("address"));
        if (text === own) return;
        own = text;
        listener(text);
      };
      listen(model, "change:address", look, stop);
    },
  };
}

/** As the widget's messages carry it: what is undefined is left out. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
