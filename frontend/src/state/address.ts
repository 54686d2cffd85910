/** Where a page keeps its address: the browser's bar, or nowhere (in a notebook cell). */
export interface Address {
  read(): string;
  write(text: string): void;
  /** Calls back when the person opens another address in the same page. */
  onArrival(listener: (text: string) => void, stop: AbortSignal): void;
}

/**
 * The address bar. The state stands after the #, which a browser never sends to a server: a link can be as long as
 * its edits need, and nobody's sentence ends up in a log.
 */
export function addressBar(target: Window): Address {
  return {
    read: () => target.location.hash.slice(1),
    write(text) {
      const bare = target.location.pathname + target.location.search;
      target.history.replaceState(null, "", text === "" ? bare : `${bare}#${text}`);
    },
    onArrival(listener, stop) {
      // replaceState fires no event, so each of these is a link opened by the person.
      target.addEventListener("hashchange", () => listener(target.location.hash.slice(1)), { signal: stop });
    },
  };
}

export function noAddress(): Address {
  return { read: () => "", write: () => undefined, onArrival: () => undefined };
}
