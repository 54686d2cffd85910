import { button } from "../../draw/controls";
import { h, uniqueId } from "../../draw/dom";
import { visibleToken } from "../../draw/token";
import type { ModelToken } from "../../wire/types";
import { searchTokens } from "./words";

export interface TokenSearch {
  element: HTMLElement;
  /** The tokens that were found, and the one the search is at. */
  readonly found: { positions: number[]; at: number | null };
  setTokens(tokens: readonly ModelToken[]): void;
}

/** Finds tokens and steps through them: Enter leads to the next, Shift+Enter to the one before. */
export function tokenSearch(moved: (at: number | null) => void, find = searchTokens): TokenSearch {
  const id = uniqueId("search");
  const input = h("input", {
    ...{ id, type: "search", class: "text-input", autocomplete: "off", spellcheck: "false" },
    oninput: () => look(),
    onkeydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    },
  });
  const status = h("span", { class: "search-status", role: "status" });
  const [before, next] = [
    button({ label: "↑", title: "the one before", onClick: () => step(-1) }),
    button({ label: "↓", title: "the next one", onClick: () => step(1) }),
  ];
  before.setAttribute("aria-label", "found token before");
  next.setAttribute("aria-label", "next found token");
  const element = h(
    "div",
    { class: "token-search", role: "search", "aria-label": "tokens" },
    h("label", { for: id }, "find a token"),
    h("span", { class: "search-line" }, input, before, next),
    status,
  );
  let tokens: readonly ModelToken[] = [];
  let positions: number[] = [];
  let at = -1;

  function look(): void {
    positions = find(tokens, input.value);
    at = positions.length > 0 ? 0 : -1;
    tell();
    moved(positions[at] ?? null);
  }

  function step(by: number): void {
    if (positions.length === 0) return;
    at = (at + by + positions.length) % positions.length;
    tell();
    moved(positions[at] ?? null);
  }

  function tell(): void {
    const position = positions[at];
    if (input.value.trim() === "") status.textContent = "";
    else if (position === undefined) status.textContent = "none";
    else
      status.textContent = `${at + 1} of ${positions.length}: ${position} ${visibleToken(tokens[position]?.text ?? "")}`;
  }

  return {
    element,
    get found() {
      return { positions, at: positions[at] ?? null };
    },
    setTokens(next) {
      if (next === tokens) return;
      tokens = next;
      positions = find(tokens, input.value);
      at = positions.length > 0 ? 0 : -1;
      tell();
    },
  };
}
