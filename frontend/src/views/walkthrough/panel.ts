import { explanationPanel } from "../../draw/arithmetic";
import { focused, h } from "../../draw/dom";
import type { Conversation } from "../../state/conversation";
import type { Store } from "../../state/store";
import type { CellRef } from "../../wire/types";
import { toClipboard } from "./files";
import { isAbout } from "./lights";

export interface ArithmeticPanel {
  element: HTMLElement;
  update(): void;
  /** Moves the keyboard focus to the open arithmetic. */
  focus(): void;
  holdsFocus(): boolean;
}

/** The arithmetic of the open cell, kept in step with the store. */
export function arithmeticPanel(
  store: Store,
  talk: Conversation,
  actions: { openDeeper(cell: CellRef): void; close(): void },
): ArithmeticPanel {
  async function copy(kind: "text" | "latex"): Promise<void> {
    const text = talk.explanation.value?.[kind];
    if (text === undefined) return;
    const copied = await toClipboard(text);
    talk.remark.set(
      copied
        ? `Copied the arithmetic as ${kind === "text" ? "text" : "LaTeX"}.`
        : "The browser does not allow copying here.",
    );
  }

  const panel = explanationPanel({
    openCell: actions.openDeeper,
    close: actions.close,
    setDigits: (digits) => store.look({ digits }),
    showFeeds: (feeds) => store.look({ feeds }),
    copy: (kind) => void copy(kind),
  });
  const element = h("div", { class: "side" }, panel.element);
  let shown: unknown = null;

  return {
    element,
    update() {
      const { cell, digits, feeds } = store.page.value;
      const explanation = talk.explanation.value;
      panel.setDigits(digits);
      panel.setFeeds(feeds);
      element.classList.toggle("open", cell !== null);
      if (cell === null) {
        panel.hide();
        shown = null;
      } else if (explanation && isAbout(explanation, cell) && explanation !== shown) {
        panel.show(explanation, [...store.trail]);
        shown = explanation;
      }
    },
    focus() {
      const title = panel.element.querySelector<HTMLElement>("[tabindex='-1']");
      title?.focus({ preventScroll: true });
    },
    holdsFocus() {
      const active = focused(panel.element);
      return active !== null && panel.element.contains(active);
    },
  };
}
