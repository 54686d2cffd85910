/** The words of a report: its verdict, how the function was asked, and the mistakes that were found. */
import { h } from "../../draw/dom";
import { findings } from "../../draw/findings";
import type { CheckReport } from "../../wire/types";

/** The sign of a verdict, and how it begins: that much of it stands out. */
const KINDS = {
  agrees: ["✓", "agrees"],
  differs: ["×", "does not agree"],
  unasked: ["?", "could not be checked"],
} as const;

/** The verdict: a sign, words that stand out, and the sentence. */
export function verdict({ outcome, verdict }: CheckReport): HTMLElement {
  const [sign, words] = KINDS[outcome];
  const begins = verdict.startsWith(words) ? words : "";
  return h(
    "div",
    { class: outcome === "agrees" ? "notice" : "notice warning" },
    h("span", { class: "notice-sign", "aria-hidden": "true" }, sign),
    h("p", null, h("strong", null, begins), h("bdi", null, verdict.slice(begins.length))),
  );
}

/** How it was asked, what is good to know, and what else would explain the answers. */
export function remarks({ asked, notes, possible }: CheckReport): HTMLElement {
  const lines = [asked, ...notes.map((one) => `Note: ${one}`), ...possible.map((one) => `Or: ${one}`)];
  return h(
    "ul",
    { class: "facts" },
    lines.map((line) => line !== "" && h("li", null, h("bdi", null, line))),
  );
}

/** Each mistake with what it does, where it is met, and how it is mended. */
export function mistakes({ mistakes: found }: CheckReport): HTMLElement | false {
  return (
    found.length > 0 &&
    findings(
      found.length > 1 ? "The mistakes" : "The mistake",
      ["name", "what it does", "where it is met", "the usual way to mend it"],
      found.map(({ name, says, seen, mend }) => [
        name,
        ...[`it ${says}`, seen, mend].map((text) => h("bdi", null, text)),
      ]),
    )
  );
}
