/**
 * The sentence as words that can be replaced, moved, removed and added to, each with its position's colour and number.
 *
 * A word is a button. Opening it gives a field and three small buttons in its place: one thing to look at, and one at a
 * time. With the keyboard: Enter opens, Alt+arrows move, Delete removes.
 */
import { attribute, type Child, focused, h, replace } from "./dom";
import { positionChip } from "./palette";
import { spokenToken, visibleToken } from "./token";

export interface ChipHandlers {
  replaceWord(position: number, word: string): void;
  removeWord(position: number): void;
  moveWord(from: number, to: number): void;
  /** A word was typed at the end. */
  addWord(word: string): void;
}

export interface WordChips {
  element: HTMLElement;
  update(words: string[]): void;
  /** The words that have a row; those that the sentence lacks are offered beside the field for a new word. */
  know(words: readonly string[]): void;
}

/** More words than this would hide the sentence. */
const MOST_OFFERED = 8;

/** Without `handlers` the words stand there to be read. */
export function wordChips(words: string[], handlers: ChipHandlers | null): WordChips {
  return new Chips(words, handlers);
}

class Chips implements WordChips {
  readonly element = h("div", { class: "sentence", role: "group", "aria-label": "the sentence" });
  private readonly list = h("ol", { class: "words" });
  private words: string[] = [];
  private known: readonly string[] = [];
  private openAt: number | null = null;

  constructor(
    words: string[],
    private readonly handlers: ChipHandlers | null,
  ) {
    this.element.append(this.list);
    this.update(words);
  }

  update(words: string[]): void {
    const active = focused(this.element);
    const at = active ? [...this.list.children].findIndex((item) => item.contains(active)) : -1;
    this.words = words;
    this.openAt = null;
    this.draw();
    if (at >= 0) this.focusWord(Math.min(at, words.length));
  }

  know(words: readonly string[]): void {
    this.known = words;
  }

  private draw(): void {
    const { handlers } = this;
    if (handlers === null) {
      const read = (word: string, i: number) => h("span", { class: "chip" }, this.face(word, i));
      replace(
        this.list,
        this.words.map((word, i) => h("li", null, read(word, i))),
      );
      return;
    }
    const items = this.words.map((word, i) =>
      h("li", null, i === this.openAt ? this.editor(word, i, handlers) : this.chip(word, i, handlers)),
    );
    replace(
      this.list,
      items,
      h("li", null, this.openAt === this.words.length ? this.adder(handlers) : this.addButton()),
    );
  }

  private focusWord(at: number): void {
    const item = this.list.children[at];
    (item?.querySelector("button, input") as HTMLElement | null)?.focus();
  }

  private open(at: number | null, focusAfter: number): void {
    this.openAt = at;
    this.draw();
    this.focusWord(focusAfter);
  }

  private face(word: string, i: number): HTMLElement {
    return positionChip(i, word, this.words.length);
  }

  private chip(word: string, i: number, handlers: ChipHandlers): HTMLElement {
    return h(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-label": `position ${i}, ${spokenToken(word)}, edit`,
        "aria-keyshortcuts": "Alt+ArrowLeft Alt+ArrowRight Delete",
        onclick: () => this.open(i, i),
        onkeydown: (event: KeyboardEvent) => this.onChipKey(event, i, handlers),
      },
      this.face(word, i),
    );
  }

  private onChipKey(event: KeyboardEvent, i: number, handlers: ChipHandlers): void {
    if (event.altKey && event.key === "ArrowLeft") this.move(i, i - 1, handlers);
    else if (event.altKey && event.key === "ArrowRight") this.move(i, i + 1, handlers);
    else if (event.key === "Delete" && this.words.length > 1) handlers.removeWord(i);
    else return;
    event.preventDefault();
  }

  private move(from: number, to: number, handlers: ChipHandlers): void {
    if (to < 0 || to >= this.words.length) return;
    this.focusWord(to); // so that the focus stays with the word when the new order comes back
    handlers.moveWord(from, to);
  }

  private editor(word: string, i: number, handlers: ChipHandlers): HTMLElement {
    const done = (text: string) => {
      this.open(null, i);
      if (text !== word) handlers.replaceWord(i, text);
    };
    const tool = (sign: string, label: string, run: () => void, disabled: boolean) =>
      h(
        "button",
        {
          type: "button",
          class: "chip-tool",
          "aria-label": `${label} ${spokenToken(word)}`,
          title: label,
          disabled,
          onclick: run,
        },
        sign,
      );
    const away = (run: () => void) => () => {
      this.open(null, i);
      run();
    };
    return h(
      "span",
      { class: "chip open" },
      h("span", { class: "chip-number" }, i),
      this.field(word, `word at position ${i}`, done, () => this.open(null, i)),
      tool(
        "←",
        "move left",
        away(() => this.move(i, i - 1, handlers)),
        i === 0,
      ),
      tool(
        "→",
        "move right",
        away(() => this.move(i, i + 1, handlers)),
        i === this.words.length - 1,
      ),
      tool(
        "×",
        "remove",
        away(() => handlers.removeWord(i)),
        this.words.length === 1,
      ),
    );
  }

  private addButton(): HTMLElement {
    const end = this.words.length;
    return h("button", { type: "button", class: "chip add", onclick: () => this.open(end, end) }, "+ word");
  }

  private adder(handlers: ChipHandlers): HTMLElement {
    const end = this.words.length;
    const done = (text: string) => {
      this.open(null, end);
      handlers.addWord(text);
    };
    return h(
      "span",
      { class: "chip open" },
      h("span", { class: "chip-number" }, end),
      this.field("", "new word", done, () => this.open(null, end)),
      this.offered(done),
    );
  }

  /** A word with a row of its own needs no suggestion, and a newcomer cannot guess which these are. */
  private offered(done: (word: string) => void): Child {
    const words = this.known.filter((word) => !this.words.includes(word)).slice(0, MOST_OFFERED);
    if (words.length === 0) return null;
    const offer = (word: string) =>
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          title: word,
          "aria-label": `add ${spokenToken(word)}`,
          onclick: () => done(word),
        },
        h("bdi", null, visibleToken(word)),
      );
    return h("span", { class: "known-words" }, "known words:", words.map(offer));
  }

  /** Enter takes the text, Escape drops it; a word needs at least one character. */
  private field(value: string, label: string, done: (text: string) => void, cancel: () => void): HTMLElement {
    const input = h("input", {
      class: "chip-input",
      type: "text",
      "aria-label": label,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      size: Math.max(4, Math.min(16, value.length + 1)),
    });
    input.value = value;
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        if (input.value === "") attribute(input, "aria-invalid", "true");
        else done(input.value);
      } else if (event.key === "Escape") cancel();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return input;
  }
}
