import { button, notice } from "../../draw/controls";
import { attribute, h, replace, uniqueId } from "../../draw/dom";
import type { ModelLook } from "../../state/model";
import type { Model, Models, ModelTitle } from "../../wire/types";
import type { Trouble } from "./question";

export interface Asked {
  model: string;
  /** Nothing where the model reads a long text of its own, which no address should hold. */
  text?: string;
  decoder?: string;
  generate?: number;
}

export interface ModelForm {
  element: HTMLElement;
  /** What is known now: the models, what the address says, whether one is running, and what is wrong. */
  update(models: Models, look: ModelLook | undefined, busy: string, trouble: Trouble | null): void;
  /** What the model read where the address says nothing of it. */
  read(look: ModelLook, model: Model): void;
  /** One sentence about what running it brought with it; "" for none. */
  say(text: string): void;
}

/** Whether it is the name of a class, as all that is known of a loaded model. */
const isKind = (about: string) => /^\w+$/.test(about);

const OWN = "To open a model of your own, start the page as “clearhead model NAME”.";

/** A longer text that is the model's own is not written into the address, nor into every question: it is known. */
const LONGEST_IN_ADDRESS = 2000;

/** The most tokens that a model may go on by itself. */
const MOST_TO_GO = 100;

/**
 * Which model reads what. What a person has typed stays until they change it, whatever comes of it. A saved capture has read
 * its text, which stands there to be read; where there are only such, there is nothing to run either, nor, of a single
 * one, to choose.
 */
export function modelForm(run: (asked: Asked) => void): ModelForm {
  const ids = {
    model: uniqueId("model"),
    text: uniqueId("text"),
    decoder: uniqueId("text"),
    go: uniqueId("go"),
  };
  const picker = h("select", {
    id: ids.model,
    class: "example-picker",
    onchange: () => choose(picker.value),
  });
  const area = (id: string) =>
    h("textarea", { id, class: "text-input", rows: 2, spellcheck: "false", onkeydown: enter });
  const text = area(ids.text);
  const was = h("p", { class: "model-read" });
  const decoder = area(ids.decoder);
  const generate = h("input", {
    id: ids.go,
    type: "number",
    class: "text-input short",
    min: 0,
    max: MOST_TO_GO,
    step: 1,
  });
  const about = h("p", { class: "hint" });
  const limit = h("p", { class: "hint" });
  const messages = { text: h("div"), decoder: h("div"), generate: h("div"), other: h("div") };
  const modelField = h(
    "div",
    { class: "model-field" },
    h("label", { for: ids.model }, "model"),
    picker,
    about,
    h("p", { class: "hint" }, OWN),
  );
  const textField = h(
    "div",
    { class: "model-field" },
    h("label", { for: ids.text }, "text"),
    text,
    was,
    limit,
    messages.text,
  );
  const decoderField = h(
    "div",
    { class: "model-field" },
    h("label", { for: ids.decoder }, "the beginning of the answer"),
    decoder,
    messages.decoder,
  );
  const generateField = h(
    "div",
    { class: "model-go" },
    h("label", { for: ids.go }, "then go on by"),
    generate,
    h("span", null, "tokens"),
    messages.generate,
  );
  const start = button({ label: "run", kind: "primary", onClick: () => send() });
  const progress = h("progress", { class: "model-progress", "aria-label": "the model runs", hidden: true });
  const status = h("span", { role: "status" });
  const clock = h("span", { class: "model-clock", "aria-hidden": "true" });
  const running = h("p", { class: "model-status" }, status, clock);
  const remark = h("p", { class: "hint", role: "status" });
  const runs = h("div", { class: "toolbar" }, generateField, start, progress, running);
  const element = h(
    "form",
    {
      class: "model-form",
      onsubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    modelField,
    textField,
    decoderField,
    runs,
    remark,
    messages.other,
  );
  let known: ModelTitle[] = [];
  /** What was read, and by which model. */
  let said = { model: "", text: "" };
  let filled = "";
  let told = "";
  let busyNow = "";
  let ticking: ReturnType<typeof setInterval> | undefined;

  /** Nobody can know how long it takes, so what is told is how long it has taken. */
  function count(on: boolean): void {
    if (on === (ticking !== undefined)) return;
    clearInterval(ticking);
    ticking = undefined;
    clock.textContent = "";
    if (!on) return;
    const began = Date.now();
    ticking = setInterval(() => {
      if (element.isConnected) clock.textContent = ` ${Math.round((Date.now() - began) / 1000)} s`;
      else count(false);
    }, 1000);
  }

  function enter(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  }

  function chosen(): ModelTitle | undefined {
    return known.find(({ name }) => name === picker.value);
  }

  /** The text of another model comes only where nobody has typed one. */
  function choose(name: string): void {
    const before = known.map((one) => one.text);
    picker.value = name;
    const title = chosen();
    if (text.value.trim() === "" || before.includes(text.value)) text.value = title?.text ?? "";
    describe();
  }

  function describe(): void {
    const title = chosen();
    const says = title && (isKind(title.about) ? title.needs : `${title.about} ${title.needs}`.trim());
    about.textContent = says || "";
    about.hidden = !says;
    decoderField.hidden = title?.decoder !== true;
    generateField.hidden = title?.generates !== true;
    const fixed = title?.fixed === true;
    for (const field of [text, limit]) field.hidden = fixed;
    was.hidden = !fixed;
    was.textContent = !fixed ? "" : said.model === title.name ? said.text : title.text;
    // What is so long that it scrolls is moved through by keys, too.
    attribute(was, "tabindex", was.textContent.length > LONGEST_IN_ADDRESS ? "0" : null);
    textField.hidden = fixed && was.textContent === "";
  }

  function send(): void {
    if (busyNow) return;
    const title = chosen();
    const count = Number(generate.value || 0);
    if (title?.generates && !(Number.isInteger(count) && count >= 0 && count <= MOST_TO_GO)) {
      const wrong = `“${generate.value}” was given, and a whole number from 0 to ${MOST_TO_GO} is expected.`;
      replace(messages.generate, notice({ kind: "error", text: wrong }));
      return;
    }
    run({
      model: picker.value,
      ...(text.value.length > LONGEST_IN_ADDRESS && text.value === title?.text ? {} : { text: text.value }),
      ...(title?.decoder && decoder.value !== "" ? { decoder: decoder.value } : {}),
      ...(title?.generates && count > 0 ? { generate: count } : {}),
    });
  }

  return {
    element,
    read(look, { name: model, text: read, decoder: answer, prompt }) {
      if (look.text === undefined && text.value.trim() === "") text.value = read;
      said = { model, text: read };
      describe();
      // An answer that the model found itself is not given to it as the beginning of one.
      if (look.decoder === undefined && prompt === null && decoder.value === "") decoder.value = answer;
    },
    say(text) {
      remark.textContent = text;
    },
    update(models, look, busy, trouble) {
      busyNow = busy;
      if (known !== models.models) {
        known = models.models;
        replace(
          picker,
          known.map(({ name, title, about, needs }) =>
            h("option", { value: name }, [title, isKind(about) && ` (${about})`, needs && " – not here"]),
          ),
        );
        limit.textContent =
          "Enter runs, Shift+Enter begins a new line. " +
          `A text of more than ${models.longest} tokens is a long one: its heads are maps to zoom into.`;
        const still = known.every(({ fixed }) => fixed);
        for (const one of [runs, remark]) one.hidden = still;
        modelField.hidden = still && known.length === 1;
        choose(known[0]?.name ?? "");
      }
      const arrived = JSON.stringify([look?.model, look?.text, look?.decoder, look?.generate]);
      if (look && arrived !== filled) {
        if (!known.some(({ name }) => name === look.model))
          picker.append(h("option", { value: look.model }, look.model));
        picker.value = look.model;
        text.value = look.text ?? chosen()?.text ?? "";
        decoder.value = look.decoder ?? "";
        generate.value = String(look.generate ?? 0);
        describe();
      }
      filled = arrived;
      start.setAttribute("aria-disabled", String(busy !== ""));
      progress.hidden = busy === "";
      count(busy !== "");
      if (status.textContent !== busy) status.textContent = busy;
      const now = JSON.stringify(trouble);
      if (now === told) return;
      told = now;
      for (const place of Object.values(messages)) replace(place);
      for (const [field, name] of [
        [text, "text"],
        [decoder, "decoder"],
        [generate, "generate"],
      ] as const)
        field.toggleAttribute("aria-invalid", trouble?.where === name);
      if (!trouble) return;
      const place =
        trouble.where in messages ? messages[trouble.where as keyof typeof messages] : messages.other;
      replace(place, notice({ kind: "error", text: trouble.text }));
    },
  };
}
