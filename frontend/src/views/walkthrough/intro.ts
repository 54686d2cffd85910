import { type WordChips, wordChips } from "../../draw/chips";
import { h } from "../../draw/dom";
import { inline } from "../../draw/inline";
import { marksLegend } from "../../draw/legend";
import type { Picture } from "../../state/picture";
import type { Settings, State } from "../../wire/types";
import { foldAway } from "./fold";
import type { Offers, SettingSwitch } from "./settings";
import type { WordChanges } from "./words";

export interface Intro {
  element: HTMLElement;
  /** The place under the sentence. */
  top: HTMLElement;
  /** Moves the keyboard focus to the heading, at once or as soon as there is a picture to begin with. */
  focus(): void;
  /** Moves the keyboard focus to a word of the sentence. */
  focusWord(position: number): void;
  /** `asItCame` is false as soon as anything differs from the example: then the example's own words are told as such. */
  update(picture: Picture, tokens: string[], settings: Settings, asItCame: boolean, offers?: Offers): void;
}

const HOW_TO_READ_TITLE = "How to read this page";

const HOW_TO_READ =
  "Every number on this page can say where it came from. Select one, with the mouse or with the arrow keys and Enter, " +
  "and its arithmetic opens; the cells that it came from are lit wherever they stand.";

const YOURS = "The numbers of E and of the weight matrices are yours to change: select one and type.";

const KEPT =
  "This page was saved with all that it shows; the command clearhead serve opens one where every word and number can be changed.";

/** The beginning of the walkthrough: what to look for, the sentence, and the switches. `words` is null where they stay. */
export function intro(
  words: WordChanges | null,
  switches: SettingSwitch[],
  tools: HTMLElement,
  stop: AbortSignal,
): Intro {
  const heading = h("h1", { class: "page-title", tabindex: "-1" });
  const lookFor = h("span");
  const changed = h("span", { class: "as-it-came", hidden: true }, "About the example as it came: ");
  const lede = h("p", { class: "lede" }, changed, lookFor);
  const handlers = words && {
    replaceWord: (at: number, word: string) => void words.replace(at, word),
    removeWord: words.remove,
    moveWord: words.move,
    addWord: (word: string) => void words.add(word),
  };
  const chips: WordChips = wordChips([], handlers);
  const top = h("div", { class: "intro-top" });
  const settings = h(
    "div",
    { class: "settings", role: "group", "aria-label": "settings" },
    switches.map((one) => one.element),
  );
  const folded = foldAway(stop, "Settings", settings);
  const element = h(
    "div",
    { class: "reading intro-place", hidden: true },
    h("div", { class: "intro" }, heading, lede, chips.element, top, folded, tools),
    h(
      "div",
      { class: "how-to-read" },
      foldAway(
        stop,
        HOW_TO_READ_TITLE,
        h("h2", null, HOW_TO_READ_TITLE),
        h("p", null, inline(`${HOW_TO_READ} ${words === null ? KEPT : YOURS}`)),
        marksLegend(),
      ),
    ),
  );
  let shownTokens = "";
  let awaited = false;

  return {
    element,
    top,
    focus() {
      awaited = element.hidden === true;
      heading.focus();
    },
    focusWord(position) {
      chips.element.querySelectorAll<HTMLElement>(".chip")[position]?.focus();
    },
    update({ state, data: { example, vocabulary, stops } }, tokens, now, asItCame, offers) {
      element.hidden = false;
      heading.textContent = `${example.title}${moment(state)}`;
      lookFor.textContent = example.look_for;
      changed.hidden = asItCame || example.look_for === "";
      chips.know(vocabulary);
      // An update closes the word that is being typed, so it is left alone while the sentence is the same.
      const signature = JSON.stringify(tokens);
      if (signature !== shownTokens) chips.update(tokens);
      shownTokens = signature;
      // Whoever has gone elsewhere meanwhile is left there.
      if (awaited && document.activeElement === document.body) heading.focus();
      awaited = false;
      const ids = new Set(stops.map((stop) => stop.id));
      for (const one of switches) {
        one.update(now, ids, offers);
        // Its own stop explains it; here it is only in the way while nothing is masked.
        if (one.setting === "mask_fill") one.element.hidden ||= now.mask === "none";
      }
      folded.hidden = switches.every((one) => one.element.hidden);
    },
  };
}

/** When in its training the model is shown. */
function moment({ training, step = 0 }: State): string {
  if (training === undefined) return "";
  return step === 0 ? ", before training" : `, after ${step} ${step === 1 ? "step" : "steps"} of training`;
}
