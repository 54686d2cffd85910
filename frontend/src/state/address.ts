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

/** Where a training begins that no link says otherwise of; everything else that a link leaves out is as it is at first. */
const BEGINS = ["step"];

/** The address of a page that holds one thing: `text` says which, and how it is shown where nothing else is asked for. */
export function beginning(address: Address, text: string): Address {
  const whole = (given: string) => {
    const asked = own(given);
    const said = new Set(asked.map(nameOf));
    const begins = pairsOf(text).filter((pair) => {
      const name = nameOf(pair);
      return ABOUT.includes(name) || (!said.has(name) && (asked.length === 0 || BEGINS.includes(name)));
    });
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
