/** A value that tells its readers when it changes. */
export interface Signal<T> {
  readonly value: T;
  /** Calls back on every later change; the returned function ends that. */
  subscribe(listener: (value: T) => void): () => void;
}

export interface WritableSignal<T> extends Signal<T> {
  set(value: T): void;
}

export function signal<T>(initial: T): WritableSignal<T> {
  let current = initial;
  const listeners = new Set<(value: T) => void>();
  return {
    get value() {
      return current;
    },
    set(value: T) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
