/** Typing a new value into a cell: Enter commits, Escape cancels, and text that is no number stays, with one sentence. */
import { attribute, h, uniqueId } from "./dom";
import { formatNumber, parseNumber } from "./numbers";

export interface Editor {
  /** Takes the input away without committing. */
  close(): void;
}

export interface EditorHandlers {
  commit(value: number): void;
  /** The input is gone; `refocus` says whether the cell should take the focus back. */
  closed(refocus: boolean): void;
}

/**
 * Opens an input over `cell`. It starts with `typed` (the key that began the edit), or with the value in full, selected.
 * `message` is the paragraph that a wrong text is explained in.
 */
export function openEditor(
  cell: HTMLElement,
  value: number,
  typed: string | null,
  message: HTMLElement,
  handlers: EditorHandlers,
): Editor {
  const label = cell.getAttribute("aria-label") ?? "cell";
  const input = h("input", {
    class: "cell-input",
    type: "text",
    inputmode: "text", // the numeric keyboards of phones often have no minus
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": `new value of ${label}`,
  });
  input.value = typed ?? formatNumber(value, "full");
  if (!message.id) message.id = uniqueId("cell-message");
  let open = true;

  const explain = (sentence: string) => {
    message.textContent = sentence;
    message.hidden = sentence === "";
    attribute(input, "aria-invalid", sentence ? "true" : null);
    attribute(input, "aria-describedby", sentence ? message.id : null);
  };
  const close = (refocus: boolean) => {
    if (!open) return;
    open = false;
    explain("");
    cell.classList.remove("editing");
    input.remove();
    handlers.closed(refocus);
  };
  const commit = (refocus: boolean) => {
    const parsed = parseNumber(input.value);
    if (parsed === null) {
      explain(sentenceFor(input.value));
      return;
    }
    close(refocus);
    if (!Object.is(parsed, value)) handlers.commit(parsed);
  };

  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") commit(true);
    else if (event.key === "Escape") close(true);
    else return;
    event.preventDefault();
  });
  input.addEventListener("input", () => explain(""));
  // Leaving keeps a good number; a bad one stays, with its sentence, until it is mended or Escape is pressed.
  input.addEventListener("blur", () => open && commit(false));
  for (const type of ["click", "dblclick"]) input.addEventListener(type, (event) => event.stopPropagation());

  cell.classList.add("editing");
  cell.appendChild(input);
  input.focus();
  if (typed === null) input.select();
  return { close: () => close(false) };
}

function sentenceFor(text: string): string {
  if (text.trim() === "") return "This cell needs a number, such as 0.5 or −2; Escape keeps the old one.";
  return `“${text.trim()}” is not a number; write it with a point, such as 0.5 or −2, or press Escape to keep the old one.`;
}
