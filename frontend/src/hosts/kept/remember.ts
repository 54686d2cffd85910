/** Remembers the last few things that were made, by their keys. */
export function remembering<T>(most: number) {
  const known = new Map<string, Promise<T | undefined>>();
  return async (key: string, make: () => Promise<T | undefined>): Promise<T | undefined> => {
    const found = known.get(key) ?? make();
    known.delete(key);
    known.set(key, found);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return found;
  };
}
