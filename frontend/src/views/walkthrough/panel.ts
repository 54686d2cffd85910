import { explanationPanel } from "../../draw/arithmetic";
import { focused, h } from "../../draw/dom";
import type { Conversation } from "../../state/conversation";
import { same } from "../../state/page";
import type { Store } from "../../state/store";
import type { CellRef } from "../../wire/types";
import { toClipboard } from "./files";
import { isAbout } from "./lights";
import { type Practice, prediction } from "./practice";
import { markWideFormulas } from "./scrolling";

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
  practice: Practice | null,
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
  const hides = (cell: CellRef) => {
    const picture = talk.picture.value;
    return practice !== null && picture !== null && practice.hides(picture, cell);
  };
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
      } else if (explanation && isAbout(explanation, cell) && !same(shown, [explanation, hides(cell)])) {
        shown = [explanation, hides(cell)];
        const trail = [...store.trail];
        if (hides(cell))
          panel.ask(
            explanation,
            trail,
            prediction(cell, store, talk, () => practice?.uncover(cell)),
          );
        else panel.show(explanation, trail);
        markWideFormulas(panel.element);
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
