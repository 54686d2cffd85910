import { h } from "../../draw/dom";
import type { Model } from "../../wire/types";

/** What model this is, how its numbers agree with its kernel's, and which of several texts is shown. */
export function aboutModel(
  data: Model,
  title: string,
  batch: number,
  choose: (batch: number) => void,
): HTMLElement[] {
  const made: HTMLElement[] = [
    h("h3", null, h("bdi", null, title)),
    h("p", { class: "hint" }, h("bdi", null, data.about)),
    h("p", { class: "agreement" }, data.agreement),
  ];
  if (data.notes.length > 0)
    made.push(
      h(
        "ul",
        { class: "facts" },
        data.notes.map((note) => h("li", null, h("bdi", null, note))),
      ),
    );
  if (data.sequences > 1) made.push(sequencePicker(data.sequences, batch, choose));
  return made;
}

function sequencePicker(count: number, batch: number, choose: (batch: number) => void): HTMLElement {
  const options = Array.from({ length: count }, (_, i) => h("option", { value: i }, `text ${i}`));
  const picker = h(
    "select",
    { class: "example-picker", "aria-label": "text", onchange: () => choose(Number(picker.value)) },
    options,
  );
  picker.value = String(batch);
  return picker;
}
