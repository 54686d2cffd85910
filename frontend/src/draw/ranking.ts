/** Words in the order of their probabilities, each with a bar. */
import { h, spoken } from "./dom";
import { type Digits, formatNumber } from "./numbers";
import { positionChip } from "./palette";
import { visibleToken } from "./token";
import { valueColour } from "./values";

export interface RankedWord {
  /** Its place in the vocabulary. */
  at: number;
  word: string;
  probability: number;
  /** From 1. */
  rank: number;
  /** It is the word that comes next in the sentence. */
  isNext: boolean;
  /** The probability before something was changed; null where it was not among the likeliest. */
  before?: number | null;
}

interface Ranking {
  digits: Digits;
  after: { position: number; word: string; count: number };
  /** A probability was opened; left out where there is nothing to open. */
  open?: (at: number) => void;
  /** Whether each word has a probability `before`. */
  compared?: boolean;
  /** What is ranked: "word" where nothing is said. */
  noun?: string;
}

export function rankedWords(
  words: RankedWord[],
  { digits, after, open, compared = false, noun = "word" }: Ranking,
): HTMLElement {
  const chip = positionChip(after.position, after.word, after.count);
  return h(
    "table",
    { class: "ranking" },
    h("caption", null, `The next ${noun} after `, chip),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        ["rank", noun, "probability"].map((name) => h("th", { scope: "col" }, name)),
        compared && h("th", { scope: "col" }, "before"),
        h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "in the sentence")),
      ),
    ),
    h(
      "tbody",
      null,
      words.map((word) => row(word, digits, open, compared)),
    ),
  );
}

function row(word: RankedWord, digits: Digits, open: Ranking["open"], compared: boolean): HTMLElement {
  const text = formatNumber(word.probability, digits);
  const bar = h("span", {
    class: "bar",
    "aria-hidden": "true",
    style: {
      "inline-size": `${Math.max(0, Math.min(1, word.probability)) * 100}%`,
      "background-color": valueColour(1, "weights", 1),
    },
  });
  return h(
    "tr",
    { class: word.isNext ? "is-next" : undefined },
    h("td", { class: "rank" }, word.rank),
    h("th", { scope: "row" }, h("bdi", { class: "ranking-word", title: word.word }, visibleToken(word.word))),
    h(
      "td",
      { class: "probability" },
      open
        ? h(
            "button",
            { type: "button", class: "quiet", onclick: () => open(word.at) },
            text,
            spoken(" of "),
            spoken(visibleToken(word.word)),
          )
        : h("span", { class: "plain-probability" }, text),
      open && h("span", { class: "on-paper" }, text),
      h("span", { class: "bar-place" }, bar),
    ),
    compared &&
      h(
        "td",
        { class: "before" },
        word.before === null || word.before === undefined
          ? "not among them"
          : formatNumber(word.before, digits),
      ),
    h("td", { class: "next-mark" }, word.isNext && "← comes next"),
  );
}
