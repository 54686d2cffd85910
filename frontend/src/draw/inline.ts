/**
 * Names in running text, drawn as the formulas draw them: W_Q, b_1, dW_Q, W_Q_next, √d_head, e^−∞, K^T, a lone X or i.
 *
 * The characters stay what they were, underscore and caret included, so what is copied, searched or spoken is the text
 * that was given. What stands in “quotation marks” is a word of the sentence and stays as it is.
 */
import { type Child, h } from "./dom";

const NAME =
  /“[^”]*”|\b(\w+)\^([−-]?[\w∞…]+(?:\.\d\w*)?(?:(?<=\de)[−-]\d+)?)|\b(d?(?:[A-Z]{1,2}|[a-z]))_([A-Za-z]+|\d)((?:_[A-Za-z]+)*)\b|\bd?[EPQKVX]\b|\b[ijw]\b/g;

/** The text as nodes; for prose and labels written for this page, never for a token. */
export function inline(text: string): Child[] {
  const parts: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(NAME)) {
    const [whole, power, exponent, base, index, more = ""] = match;
    if (whole.startsWith("“")) continue;
    parts.push(text.slice(end, match.index));
    if (power && exponent) parts.push(raised(power, exponent));
    else if (base && index) parts.push(indexed(base, index, more));
    else parts.push(h("var", null, whole));
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

/** "K^T", "W_U^T" */
function raised(base: string, exponent: string): HTMLElement {
  const under = base.includes("_") ? inline(base) : h("var", null, base);
  return name(under, "^", h("sup", null, exponent));
}

/** "W_Q", and with more to its index "W_Q_next". */
function indexed(base: string, index: string, more: string): HTMLElement {
  const first = index.length === 1 ? h("var", null, index) : index;
  const rest = more.split("_").slice(1);
  const parts = rest.map((part) => [joint("_"), h("span", { class: "index-part" }, part)]);
  return name(h("var", null, base), "_", h("sub", null, first, parts));
}

/** One word to the line breaker. */
function name(base: Child, sign: string, index: HTMLElement): HTMLElement {
  return h("span", { class: "name" }, base, joint(sign), index);
}

/** The joint between base and index has no width. */
function joint(sign: string): HTMLElement {
  return h("span", { class: "joint" }, sign);
}
