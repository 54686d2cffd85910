import type { Theme } from "./draw/controls";
import { h } from "./draw/dom";
import { adoptSheet, adoptStyles, setTheme } from "./draw/styles";
import type { Host } from "./hosts/host";
import { type Address, noAddress } from "./state/address";
import { onlySlid } from "./state/changes";
import { converse } from "./state/conversation";
import { judged, onKeptStep } from "./state/keptsteps";
import { onlyMoved } from "./state/model";
import { type Page, same } from "./state/page";
import type { Signal } from "./state/signal";
import { createStore } from "./state/store";
import { readTheme, storeTheme } from "./state/theme";
import { readAddress, writeAddress } from "./state/url";
import type { PartMaker } from "./views/part";
import { parts as everyPart } from "./views/parts";
import { partsCss } from "./views/partstyles";
import { pageHeader } from "./views/walkthrough/header";
import { walkthroughCss } from "./views/walkthrough/styles";
import { WalkthroughView } from "./views/walkthrough/walkthrough";

/** The example that a page without an address begins with. */
export const FIRST_EXAMPLE = "the-dog-chased-the-cat";

export interface MountOptions {
  host: Host;
  /** The element to fill; it may stand in a document or in a shadow root. */
  el: HTMLElement;
  /** Ends everything that the page listens to. */
  signal: AbortSignal;
  address?: Address;
  /** What comes after the stops; all there is, if nothing is said. */
  parts?: PartMaker[];
  /** The theme of what is around, for whoever chose none; the system's, if nothing is said. */
  surroundings?: Signal<Theme>;
}

/** Fills `el` with the walkthrough of the session that `host` leads to. */
export function mount({
  host,
  el,
  signal,
  address = noAddress(),
  parts = Object.values(everyPart),
  surroundings,
}: MountOptions): void {
  const tree = el.getRootNode() as Document | ShadowRoot;
  adoptStyles(tree);
  adoptSheet(tree, walkthroughCss);
  adoptSheet(tree, partsCss);
  let theme = readTheme();
  const drawTheme = () => setTheme(el, theme === "auto" ? (surroundings?.value ?? theme) : theme);
  drawTheme();
  el.classList.add("clearhead");

  const read = (text: string) => judged(onKeptStep(readAddress(text, FIRST_EXAMPLE), host.steps), host);
  const arrival = read(address.read());
  const store = createStore(arrival.page);
  const example = turns(standsBack(arrival.page));
  // A capture that was saved as a page is all that there is: no worked example stands back behind it.
  const { state } = arrival.page;
  const alone =
    state.example === "" ||
    (standsBack(arrival.page) && host.holds?.({ ask: "walkthrough", state }) === false);
  const talk = converse(store, host, example.soon, signal);
  talk.remark.set(arrival.problem);
  // A saved page that shows something else than its address asked for is not copied with what was asked for.
  if (host.steps && arrival.problem !== null) address.write(written(arrival.page), false);

  const header = pageHeader(theme, {
    chooseExample: store.chooseExample,
    setDigits: (digits) => store.look({ digits }),
    setTheme(chosen: Theme) {
      theme = chosen;
      drawTheme();
      storeTheme(theme);
    },
  });
  const view = new WalkthroughView({
    root: el,
    host,
    store,
    talk,
    stop: signal,
    parts,
    shown: alone ? () => undefined : example.begin,
  });
  view.foldExample(standsBack(arrival.page));
  const skip = h(
    "a",
    { class: "skip-link", href: "#walkthrough", onclick: skipTo(view) },
    "skip to the walkthrough",
  );
  header.element.prepend(skip);
  el.replaceChildren(header.element, view.element);

  const drawHeader = () => {
    header.setExamples(talk.examples.value, store.page.value.state.example);
    header.setDigits(store.page.value.digits);
  };
  /** A move of the deep zoom, or through a training, is to be written: that is a step that Back takes back. */
  let moved = false;
  let slidAt = Number.NEGATIVE_INFINITY;
  let arriving = false;
  const writer = addressWriter(() => {
    address.write(written(store.page.value), moved);
    moved = false;
  });
  let last = store.page.value;
  const leave = [
    surroundings?.subscribe(drawTheme) ?? (() => undefined),
    talk.examples.subscribe(drawHeader),
    store.page.subscribe((page) => {
      drawHeader();
      if (arriving) {
        last = page;
        return;
      }
      const slides = last.state.step !== undefined && last.state.step !== page.state.step;
      moved ||= onlyMoved(page.model, last.model);
      if (onlySlid(page.state, last.state)) {
        moved ||= Date.now() - slidAt > APART;
        slidAt = Date.now();
      }
      last = page;
      if (slides) writer.later();
      else writer.soon();
    }),
  ];
  address.onArrival((text) => {
    const { page, problem } = read(text);
    const now = store.page.value;
    arriving = true;
    // A step back of the deep zoom touches nothing else: what can be undone in the example stays so.
    if (page.model && onlyMoved(page.model, now.model) && same({ ...now, model: page.model }, page))
      store.lookAtModel(page.model);
    else if (onlySlid(page.state, now.state) && same({ ...now, state: page.state }, page))
      store.slide(page.state);
    else {
      store.load(page);
      view.foldExample(standsBack(page));
    }
    arriving = false;
    // At once: a little later the browser may stand at another step, which this would write over.
    address.write(written(store.page.value), false);
    talk.remark.set(problem);
  }, signal);
  signal.addEventListener("abort", () => {
    for (const run of leave) run();
    el.replaceChildren();
  });
  drawHeader();
}

/**
 * When the questions about the worked example are sent: with the task that asked them or, on a page that is about something
 * else, from `begin` on, so that neither the session nor the browser works on it while what was opened is awaited.
 */
function turns(waits: boolean): { soon(run: () => void): void; begin(): void } {
  let waiting: (() => void) | null = null;
  return {
    soon(run) {
      if (waits) waiting = run;
      else queueMicrotask(run);
    },
    begin() {
      waits = false;
      waiting?.();
      waiting = null;
    },
  };
}

/** An address that names a model, and of the worked example nothing, leads to the model; where there is no example, too. */
function standsBack({ model, cell, state }: Page): boolean {
  if (state.example === "") return true;
  return model !== undefined && cell === null && same(state, { example: FIRST_EXAMPLE });
}

/** The address of a page; where that leads to a model alone, the example that every page begins with says nothing. */
function written(page: Page): string {
  const text = writeAddress(page);
  return page.model && standsBack(page) ? text.replace(/^example=[^&]*&/, "") : text;
}

/** Milliseconds after which a step of a training is one of its own, and not one more of those that went by. */
const APART = 1500;

/** Milliseconds between two writings while a slider moves: browsers refuse more than some hundred in half a minute. */
const SLOW = 250;

/** Writes after the present task, once: the question to the session leaves first, and the browser writes meanwhile. */
function addressWriter(write: () => void): { soon(): void; later(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSoon = false;
  const wait = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      isSoon = false;
      write();
    }, milliseconds);
  };
  return {
    soon() {
      if (isSoon) return;
      isSoon = true;
      wait(0);
    },
    later() {
      if (timer === undefined) wait(SLOW);
    },
  };
}

/** The address after the # is the page's state, so the skip link moves the focus by itself. */
function skipTo(view: WalkthroughView) {
  return (event: MouseEvent): void => {
    event.preventDefault();
    view.focus();
  };
}
