import type { Theme } from "./draw/controls";
import { h } from "./draw/dom";
import { adoptSheet, adoptStyles, setTheme } from "./draw/styles";
import type { Host } from "./hosts/host";
import { type Address, noAddress } from "./state/address";
import { converse } from "./state/conversation";
import { createStore } from "./state/store";
import { readTheme, storeTheme } from "./state/theme";
import { readAddress, writeAddress } from "./state/url";
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
}

/** Fills `el` with the walkthrough of the session that `host` leads to. */
export function mount({ host, el, signal, address = noAddress() }: MountOptions): void {
  const tree = el.getRootNode() as Document | ShadowRoot;
  adoptStyles(tree);
  adoptSheet(tree, walkthroughCss);
  setTheme(el, readTheme());
  el.classList.add("clearhead");

  const arrival = readAddress(address.read(), FIRST_EXAMPLE);
  const store = createStore(arrival.page);
  const talk = converse(store, host, queueMicrotask, signal);
  talk.remark.set(arrival.problem);

  const header = pageHeader(readTheme(), {
    chooseExample: store.chooseExample,
    setDigits: (digits) => store.look({ digits }),
    setTheme(theme: Theme) {
      setTheme(el, theme);
      storeTheme(theme);
    },
  });
  const view = new WalkthroughView({ root: el, host, store, talk, stop: signal });
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
  const writeSoon = oncePerTask(() => address.write(writeAddress(store.page.value)));
  const leave = [
    talk.examples.subscribe(drawHeader),
    store.page.subscribe(() => {
      drawHeader();
      writeSoon();
    }),
  ];
  address.onArrival((text) => {
    const next = readAddress(text, FIRST_EXAMPLE);
    store.load(next.page);
    talk.remark.set(next.problem);
  }, signal);
  signal.addEventListener("abort", () => {
    for (const run of leave) run();
    el.replaceChildren();
  });
  drawHeader();
}

/** Runs after the present task, once: the question to the session leaves first, and the browser writes meanwhile. */
function oncePerTask(run: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      run();
    });
  };
}

/** The address after the # is the page's state, so the skip link moves the focus by itself. */
function skipTo(view: WalkthroughView) {
  return (event: MouseEvent): void => {
    event.preventDefault();
    view.focus();
  };
}
