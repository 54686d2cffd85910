/** A small dialog over the page: a question that has to be answered before anything else can happen. */
import { button } from "./controls";
import { type Child, h, replace, uniqueId } from "./dom";

export interface DialogModel {
  title: string;
  content: Child[];
  confirm: string;
  /** Called by the main button and by Enter in a field; a returned sentence is shown and the dialog stays. */
  onConfirm(): string | null;
  onCancel?(): void;
}

export interface Dialog {
  element: HTMLDialogElement;
  open(): void;
  close(): void;
  /** Shows one sentence about what was entered; an empty one takes it away. */
  explain(sentence: string): void;
}

/** A modal dialog; append `element` inside the page's root before `open`. Escape cancels, focus returns by itself. */
export function dialog(model: DialogModel): Dialog {
  const titleId = uniqueId("dialog");
  const message = h("p", { class: "dialog-message", role: "alert", hidden: true });
  const explain = (sentence: string) => {
    message.hidden = sentence === "";
    replace(message, sentence);
  };
  const confirm = () => {
    const wrong = model.onConfirm();
    explain(wrong ?? "");
    if (wrong === null) element.close("confirmed");
  };
  const element: HTMLDialogElement = h(
    "dialog",
    { class: "dialog", "aria-labelledby": titleId },
    h(
      "form",
      {
        method: "dialog",
        onsubmit: (event: Event) => {
          event.preventDefault();
          confirm();
        },
      },
      h("h2", { id: titleId }, model.title),
      h("div", { class: "dialog-content" }, model.content),
      message,
      h(
        "div",
        { class: "dialog-buttons" },
        button({ label: "cancel", onClick: () => element.close("cancelled") }),
        h("button", { type: "submit", class: "button primary" }, model.confirm),
      ),
    ),
  );
  element.addEventListener("close", () => {
    if (element.returnValue !== "confirmed") model.onCancel?.();
  });
  return {
    element,
    open: () => {
      element.returnValue = "";
      explain("");
      element.showModal();
    },
    close: () => element.close("cancelled"),
    explain,
  };
}

/** A labelled text field for a dialog. */
export function textField(
  label: string,
  value: string,
  hint?: string,
): { element: HTMLElement; input: HTMLInputElement } {
  const input = h("input", { type: "text", class: "text-input", autocomplete: "off", spellcheck: "false" });
  input.value = value;
  return {
    element: h(
      "label",
      { class: "field" },
      h("span", null, label),
      input,
      hint && h("span", { class: "hint" }, hint),
    ),
    input,
  };
}
