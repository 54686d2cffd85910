import { button, toggleButton } from "../../draw/controls";
import { h } from "../../draw/dom";
import type { Store } from "../../state/store";

export interface Toolbar {
  element: HTMLElement;
  update(): void;
  /** Takes the keyboard focus that a vanished message leaves behind. */
  focus(): void;
}

/** Back, forward and compare: what a person needs at hand at every stop, so it stays with the pipeline bar. */
export function historyTools(store: Store): Toolbar {
  const undo = button({ label: "undo", title: "Ctrl+Z", onClick: store.undo });
  const redo = button({ label: "redo", title: "Ctrl+Shift+Z or Ctrl+Y", onClick: store.redo });
  const compare = toggleButton("compare with before", false, (on) => store.look({ compare: on }));
  undo.dataset.sign = "↶";
  redo.dataset.sign = "↷";
  compare.element.dataset.sign = "±";
  compare.element.title = "prints the difference under each number that changed";
  undo.setAttribute("aria-keyshortcuts", "Control+Z");
  redo.setAttribute("aria-keyshortcuts", "Control+Shift+Z Control+Y");
  const element = h(
    "div",
    { class: "history-tools", role: "group", "aria-label": "changes" },
    undo,
    redo,
    compare.element,
  );

  return {
    element,
    focus: () => undo.focus(),
    update() {
      // aria-disabled keeps the focus on a button that was just used up; a disabled button would drop it.
      undo.setAttribute("aria-disabled", String(!store.canUndo));
      redo.setAttribute("aria-disabled", String(!store.canRedo));
      compare.element.setAttribute(
        "aria-disabled",
        String(store.before === null && !store.page.value.compare),
      );
      compare.set(store.page.value.compare);
    },
  };
}

/** What can be taken away from the page, and the way back to the start. */
export function pageTools(actions: {
  /** Null where there is no such start. */
  reset: (() => void) | null;
  script(): void;
  /** Null where the file cannot be had. */
  trace: (() => void) | null;
  print(): void;
}): HTMLElement {
  return h(
    "div",
    { class: "page-tools toolbar", role: "group", "aria-label": "this page" },
    actions.reset &&
      button({ label: "reset", title: "back to the example as it is shipped", onClick: actions.reset }),
    button({ label: "copy as Python", onClick: actions.script }),
    actions.trace && button({ label: "download trace", onClick: actions.trace }),
    button({ label: "print", onClick: actions.print }),
  );
}
