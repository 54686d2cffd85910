import { button } from "../../draw/controls";
import { h, replace } from "../../draw/dom";
import { type RankedWord, rankedWords } from "../../draw/ranking";
import type { Picture } from "../../state/picture";
import type { StopExtra } from "./extras";
import { rowPicker } from "./rowpicker";
import type { Scene, StopHandlers } from "./scene";

/** Rows of the table that are shown at first; the word that comes next is always among them. */
const FIRST = 10;

/** The words that could come next after a position, likeliest first. */
export function nextWordExtra(handlers: StopHandlers): StopExtra {
  const picker = rowPicker(handlers.chooseQuery, "What comes after");
  const place = h("div", { class: "ranking-place" });
  const more = button({ label: "", kind: "quiet", onClick: () => toggle() });
  const element = h("div", { class: "next-word" }, picker.element, place, more);
  let whole = false;
  let shown: Scene | null = null;

  function toggle(): void {
    whole = !whole;
    if (shown) draw(shown);
  }

  function draw(scene: Scene): void {
    shown = scene;
    const { picture, query, look } = scene;
    const ranked = ranking(picture, query);
    // The words in their order, with their probabilities, are what is to be predicted.
    const open = ranked.every(({ at }) => !look.hides?.({ quantity: "probabilities", index: [query, at] }));
    element.hidden = ranked.length === 0 || !open;
    picker.update(picture.data.tokens, query);
    const seen = whole ? ranked : ranked.filter((word, rank) => rank < FIRST || word.isNext);
    const token = picture.data.tokens[query] ?? "";
    replace(
      place,
      rankedWords(seen, {
        digits: look.digits,
        after: { position: query, word: token, count: picture.data.tokens.length },
        open: (at) => handlers.open({ quantity: "probabilities", index: [query, at] }),
      }),
    );
    more.hidden = ranked.length <= FIRST;
    more.textContent = whole ? `show the first ${FIRST}` : `show all ${ranked.length}`;
  }

  return { element, place: "after", update: draw };
}

/** Every word with its probability after `query`, sorted; none where the model predicts nothing. */
export function ranking(picture: Picture, query: number): RankedWord[] {
  const drawable = picture.quantities.get("probabilities");
  if (!drawable) return [];
  const { tokens, vocabulary } = picture.data;
  const width = drawable.about.shape[1] ?? 0;
  const row = drawable.values.subarray(query * width, (query + 1) * width);
  const next = tokens[query + 1];
  return [...row]
    .map((probability, at) => ({
      at,
      word: vocabulary[at] ?? String(at),
      probability,
      rank: 0,
      isNext: false,
    }))
    .sort((a, b) => b.probability - a.probability || a.at - b.at)
    .map((word, i) => ({ ...word, rank: i + 1, isNext: next !== undefined && word.word === next }));
}
