/**
 * Tokens are untrusted text. They are shown as text, with the characters nobody can see made visible.
 */

const NAMED: Record<string, string> = { " ": "␣", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽" };

/**
 * The token as it is shown: leading and trailing spaces, line breaks, control characters and the characters that
 * turn the direction of text become visible marks; an empty token is "∅". The rest is left as it is.
 */
export function visibleToken(token: string): string {
  if (token === "") return "∅";
  const ends = token.replace(/^ +| +$/g, (spaces) => "␣".repeat(spaces.length));
  return ends.replace(/[\p{Cc}\p{Cf}\p{Cs}\u00a0\u2028\u2029]/gu, (character) => {
    // Joiners belong to ordinary words and emoji; hiding them in a code would break what they join.
    if (character === "\u200d" || character === "\u200c") return character;
    return NAMED[character] ?? `‹${codePoint(character)}›`;
  });
}

/** The token in a sentence for screen readers: invisible ones are named. */
export function spokenToken(token: string): string {
  if (token === "") return "empty token";
  if (/^ +$/.test(token)) return token.length === 1 ? "a space" : `${token.length} spaces`;
  return visibleToken(token);
}

/** Letters of a word that is named among others: more would bury what is said of it. */
const MOST_LETTERS = 40;

/** The word cut to `most` letters (code points); what is thousands long is not taken apart for that. */
export function cut(word: string, most = MOST_LETTERS): string {
  if (word.length <= most) return word;
  const letters = [...word.slice(0, 2 * most + 2)]; // a letter has up to two UTF-16 units
  return letters.length <= most ? word : `${letters.slice(0, most).join("")}…`;
}

/** The words in quotation marks cut to some letters; so is any other run of letters as long as a sentence. */
export function briefly(said: string): string {
  return said.replace(/“[^“”]+”|[^\s“”]+/g, (whole) => {
    const [quote, inside, end] = whole[0] === "“" ? ["“", whole.slice(1, -1), "”"] : ["", whole, ""];
    return `${quote}${cut(inside)}${end}`;
  });
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
