/** Where a page keeps its address: the browser's bar, or nowhere (in a notebook cell). */
export interface Address {
  read(): string;
  /** `entry`: what was there before stays a step back in the browser's history. */
  write(text: string, entry: boolean): void;
  /** Calls back when the person opens another address in the same page, or goes back to one. */
  onArrival(listener: (text: string) => void, stop: AbortSignal): void;
}

/**
 * The address bar. The state stands after the #, which a browser never sends to a server: a link can be as long as
 * its edits need, and nobody's sentence ends up in a log.
 */
export function addressBar(target: Window): Address {
  return {
    read: () => target.location.hash.slice(1),
    write(text, entry) {
      const { pathname, search, hash } = target.location;
      if (text === hash.slice(1)) return;
      const whole = pathname + search + (text === "" ? "" : `#${text}`);
      if (entry) target.history.pushState(null, "", whole);
      else target.history.replaceState(null, "", whole);
    },
    onArrival(listener, stop) {
      // What the page writes fires no event, so each of these is a link opened, or a step back or forward.
      target.addEventListener("hashchange", () => listener(target.location.hash.slice(1)), { signal: stop });
    },
  };
}

export function noAddress(): Address {
  return { read: () => "", write: () => undefined, onArrival: () => undefined };
}

/** What an address is about. A page that holds one thing is about that, whatever a link to it says or leaves out. */
const ABOUT = ["example", "model", "training"];

/** What stands before every link, which may say otherwise: of two in an address the last one that can be read is taken. */
const BEGINS = ["step"];

/** On a page about a model a layer is one of that model: there is no walkthrough of an example that it could be of. */
const LAYER = /^layer(?==)/;

/** The address of a page that holds one thing: `text` says which, and how it is shown where nothing else is asked for. */
export function beginning(address: Address, text: string): Address {
  const ofModel = pairsOf(text).some((pair) => nameOf(pair) === "model");
  const whole = (given: string) => {
    const asked = own(given).map((pair) => (ofModel ? pair.replace(LAYER, "block") : pair));
    const begins = pairsOf(text).filter(
      (pair) => asked.length === 0 || [...ABOUT, ...BEGINS].includes(nameOf(pair)),
    );
    return [...begins, ...asked].join("&");
  };
  return {
    read: () => whole(address.read()),
    // What the page is about need not be said: it is about nothing else.
    write: (given, entry) => address.write(own(given).join("&"), entry),
    onArrival: (listener, stop) => address.onArrival((given) => listener(whole(given)), stop),
  };
}

const own = (text: string) => pairsOf(text).filter((pair) => !ABOUT.includes(nameOf(pair)));
const pairsOf = (text: string) => text.split("&").filter((pair) => pair !== "");
const nameOf = (pair: string) => pair.split("=")[0] as string;
