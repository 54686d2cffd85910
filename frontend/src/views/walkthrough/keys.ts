/** What the keys do anywhere on the page outside text fields. */
export interface KeyActions {
  undo(): void;
  redo(): void;
  escape(): void;
}

/** Listens on the document or the shadow root that holds `element`, so that no focus is needed inside it. */
export function listenForKeys(element: HTMLElement, actions: KeyActions, stop: AbortSignal): void {
  element.getRootNode().addEventListener(
    "keydown",
    (event) => {
      const action = actionOf(event as KeyboardEvent, actions);
      if (action === null || event.defaultPrevented || isTyping(event)) return;
      event.preventDefault();
      action();
    },
    { signal: stop },
  );
}

function actionOf(event: KeyboardEvent, actions: KeyActions): (() => void) | null {
  if (event.key === "Escape") return actions.escape;
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? actions.redo : actions.undo;
  if (key === "y" && !event.shiftKey) return actions.redo;
  return null;
}

/** In a text field the browser's own undo is meant, and in a dialog the page behind it is not. */
function isTyping(event: Event): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return false;
  if (target.closest("dialog") !== null || target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && target.type !== "radio" && target.type !== "checkbox";
}
