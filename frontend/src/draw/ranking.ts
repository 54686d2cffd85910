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
}

interface Ranking {
  digits: Digits;
  after: { position: number; word: string; count: number };
  /** A probability was opened. */
  open(at: number): void;
}

export function rankedWords(words: RankedWord[], { digits, after, open }: Ranking): HTMLElement {
  const chip = positionChip(after.position, after.word, after.count);
  return h(
    "table",
    { class: "ranking" },
    h("caption", null, "The next word after ", chip),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        ["rank", "word", "probability"].map((name) => h("th", { scope: "col" }, name)),
        h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "in the sentence")),
      ),
    ),
    h(
      "tbody",
      null,
      words.map((word) => row(word, digits, open)),
    ),
  );
}

function row(word: RankedWord, digits: Digits, open: (at: number) => void): HTMLElement {
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
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => open(word.at) },
        text,
        spoken(" of "),
        spoken(visibleToken(word.word)),
      ),
      h("span", { class: "on-paper" }, text),
      h("span", { class: "bar-place" }, bar),
    ),
    h("td", { class: "next-mark" }, word.isNext && "← comes next"),
  );
}
