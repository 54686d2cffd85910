/** Small controls: segmented switches, buttons, notices. They carry ink only; colour is kept for position and value. */
import { attribute, h, replace, spoken, uniqueId } from "./dom";
import { inline } from "./inline";

export interface SwitchOption<V extends string | number | boolean> {
  value: V;
  label: string;
  disabled?: boolean;
  /** Why it is disabled, or what it does; shown as a title. */
  hint?: string;
}

export interface SwitchesModel<V extends string | number | boolean> {
  legend: string;
  options: SwitchOption<V>[];
  value: V;
  onChange(value: V): void;
  /** One short sentence under the switches. */
  hint?: string;
}

export interface Switches<V extends string | number | boolean> {
  element: HTMLElement;
  set(value: V): void;
  setOptions(options: SwitchOption<V>[], value: V): void;
}

/** One choice out of a few, all of them in sight: a radio group drawn as one segmented bar. */
export function switches<V extends string | number | boolean>(model: SwitchesModel<V>): Switches<V> {
  const name = uniqueId("switch");
  const bar = h("div", { class: "segments" });
  const element = h(
    "fieldset",
    { class: "switches" },
    h("legend", null, inline(model.legend)),
    bar,
    model.hint && h("p", { class: "hint" }, model.hint),
  );
  let inputs: { value: V; input: HTMLInputElement }[] = [];

  const set = (value: V) => {
    for (const entry of inputs) entry.input.checked = entry.value === value;
  };
  const setOptions = (options: SwitchOption<V>[], value: V) => {
    inputs = options.map((option) => ({
      value: option.value,
      input: h("input", {
        type: "radio",
        name,
        value: String(option.value),
        disabled: option.disabled ?? false,
        onchange: () => model.onChange(option.value),
      }),
    }));
    replace(
      bar,
      options.map((option, i) =>
        h(
          "label",
          { class: "segment", title: option.hint },
          inputs[i]?.input,
          h("span", null, option.label, option.hint && option.disabled && spoken(`, ${option.hint}`)),
        ),
      ),
    );
    set(value);
  };
  setOptions(model.options, model.value);
  return { element, set, setOptions };
}

export interface ButtonModel {
  label: string;
  onClick(): void;
  /** "plain" has a frame, "quiet" is text, "primary" is the one thing to do in a dialog. */
  kind?: "plain" | "quiet" | "primary";
  disabled?: boolean;
  title?: string;
}

export function button({
  label,
  onClick,
  kind = "plain",
  disabled = false,
  title,
}: ButtonModel): HTMLButtonElement {
  const look = { plain: "button", quiet: "quiet", primary: "button primary" }[kind];
  return h("button", { type: "button", class: look, disabled, title, onclick: onClick }, label);
}

/** A button that stays down: `aria-pressed` says which. */
export interface Toggle {
  element: HTMLButtonElement;
  set(on: boolean): void;
}

export function toggleButton(label: string, on: boolean, onChange: (on: boolean) => void): Toggle {
  const element = h(
    "button",
    {
      type: "button",
      class: "button",
      onclick: () => onChange(element.getAttribute("aria-pressed") !== "true"),
    },
    label,
  );
  const set = (value: boolean) => attribute(element, "aria-pressed", String(value));
  set(on);
  return { element, set };
}

export interface NoticeModel {
  /** "note" informs, "warning" asks for care, "error" says what was wrong with an input. */
  kind: "note" | "warning" | "error";
  text: string;
  action?: { label: string; run(): void };
  dismiss?(): void;
}

const NOTICE = {
  note: { sign: "i", word: "Note" },
  warning: { sign: "!", word: "Careful" },
  error: { sign: "×", word: "Not possible" },
} as const;

/** One sentence worth telling, marked by a sign and a word, never by colour alone. Errors are announced at once. */
export function notice({ kind, text, action, dismiss }: NoticeModel): HTMLElement {
  const { sign, word } = NOTICE[kind];
  return h(
    "div",
    { class: `notice ${kind}`, role: kind === "error" ? "alert" : "status" },
    h("span", { class: "notice-sign", "aria-hidden": "true" }, sign),
    h("p", null, h("strong", null, `${word}: `), h("bdi", null, text)),
    action && button({ label: action.label, onClick: action.run }),
    dismiss &&
      h(
        "button",
        { type: "button", class: "close", "aria-label": `dismiss: ${text}`, onclick: dismiss },
        "×",
      ),
  );
}

/** Automatic, light or dark. */
export type Theme = "auto" | "light" | "dark";

export function themeSwitch(value: Theme, onChange: (theme: Theme) => void): Switches<Theme> {
  const options = (["auto", "light", "dark"] as const).map((theme) => ({ value: theme, label: theme }));
  return switches({ legend: "theme", options, value, onChange });
}
