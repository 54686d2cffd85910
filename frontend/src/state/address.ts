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

/** An address that begins with `text` where it says nothing by itself. */
export function beginning(address: Address, text: string): Address {
  return { ...address, read: () => address.read() || text };
}
