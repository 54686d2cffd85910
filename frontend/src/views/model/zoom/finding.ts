import type { ModelToken } from "../../../wire/types";

interface Joined {
  text: string;
  /** Where each token begins in it. */
  starts: Uint32Array;
}

/** More places than this help nobody, and take long to walk through. */
const MOST = 5000;

/** Finds words across the borders of tokens, and a token by its number; the text is put together once. */
export function textFinder(): (tokens: readonly ModelToken[], wanted: string) => number[] {
  const known = new WeakMap<readonly ModelToken[], Joined>();
  return (tokens, wanted) => {
    const plain = wanted.toLowerCase();
    if (plain.trim() === "") return [];
    let joined = known.get(tokens);
    if (!joined) {
      joined = join(tokens);
      known.set(tokens, joined);
    }
    const found: number[] = [];
    const number = plain.trim();
    if (/^\d+$/.test(number) && Number(number) < tokens.length) found.push(Number(number));
    // A word is meant wherever it stands, and a space before it only where one was typed.
    for (
      let at = joined.text.indexOf(plain);
      at >= 0 && found.length < MOST;
      at = joined.text.indexOf(plain, at + plain.length)
    ) {
      const token = tokenAt(joined.starts, at);
      if (found[found.length - 1] !== token) found.push(token);
    }
    return found;
  };
}

function join(tokens: readonly ModelToken[]): Joined {
  const starts = new Uint32Array(tokens.length);
  const words: string[] = [];
  let length = 0;
  tokens.forEach((token, i) => {
    starts[i] = length;
    const word = token.text.toLowerCase();
    words.push(word);
    length += word.length;
  });
  return { text: words.join(""), starts };
}

/** The last token that begins at `at` or before it. */
function tokenAt(starts: Uint32Array, at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
