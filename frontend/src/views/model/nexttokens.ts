import { h, replace } from "../../draw/dom";
import type { Digits } from "../../draw/numbers";
import { rankedWords } from "../../draw/ranking";
import { visibleToken } from "../../draw/token";
import type { Model } from "../../wire/types";
import { towerOf } from "./words";

/** What comes next, likeliest first, and beside it what it was before something was changed. */
export function nextTokens(place: HTMLElement, model: Model, digits: Digits): void {
  place.hidden = model.next.length === 0;
  if (place.hidden) return;
  const tokens = towerOf(model, undefined)?.queries ?? [];
  const before = new Map(model.before.map(({ id, probability }) => [id, probability]));
  const compared = model.before.length > 0;
  const words = model.next.map(({ text, id, probability }, i) => ({
    ...{ at: id, word: text, rank: i + 1, probability, isNext: false },
    ...(compared ? { before: before.get(id) ?? null } : {}),
  }));
  // What comes next was asked for after the text, not after its padding.
  const last = tokens.map(({ padding }) => !padding).lastIndexOf(true);
  const table = rankedWords(words, {
    digits,
    compared,
    noun: "token",
    after: { position: Math.max(0, last), word: tokens[last]?.text ?? "", count: tokens.length },
  });
  const [was] = model.before;
  const [is] = model.next;
  const changed = was && is && was.id !== is.id;
  replace(
    place,
    h("h3", null, "The next token"),
    compared &&
      h(
        "p",
        { class: "hint" },
        changed ? "Something else comes first now. It was " : "What comes first is what it was: ",
        h("bdi", null, `“${visibleToken(was?.text ?? "")}”`),
        ".",
      ),
    h("div", { class: "ranking-place" }, table),
  );
}
