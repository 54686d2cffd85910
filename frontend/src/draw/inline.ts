/**
 * Names in running text, drawn as the formulas draw them: W_Q, √d_head, e^−∞, K^T, a lone X or i.
 *
 * The characters stay what they were, underscore and caret included, so what is copied, searched or spoken is the text
 * that was given. What stands in “quotation marks” is a word of the sentence and stays as it is.
 */
import { type Child, h } from "./dom";

const NAME = /“[^”]*”|\b([A-Za-z]{1,2})_([A-Za-z]+)\b|\b(\w+)\^([−-]?[\w∞…]+)|\b[EPQKVXijw]\b/g;

/** The text as nodes; for prose and labels written for this page, never for a token. */
export function inline(text: string): Child[] {
  const parts: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(NAME)) {
    const [whole, base, index, power, exponent] = match;
    if (whole.startsWith("“")) continue;
    parts.push(text.slice(end, match.index));
    if (base && index)
      parts.push(name(base, "_", h("sub", null, index.length === 1 ? h("var", null, index) : index)));
    else if (power && exponent) parts.push(name(power, "^", h("sup", null, exponent)));
    else parts.push(h("var", null, whole));
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

/** One word to the line breaker; the joint between base and index has no width. */
function name(base: string, joint: string, index: HTMLElement): HTMLElement {
  return h("span", { class: "name" }, h("var", null, base), h("span", { class: "joint" }, joint), index);
}
