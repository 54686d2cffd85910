/** Switches, buttons, notices, the sentence, the dialog, the pipeline bar. */
import { wordChips } from "../../draw/chips";
import { button, notice, switches, toggleButton } from "../../draw/controls";
import { dialog, textField } from "../../draw/dialog";
import { h } from "../../draw/dom";
import { pipelineBar } from "../../draw/pipeline";
import { SENTENCE } from "./samples";
import { exhibit, section } from "./section";

export const STEPS = [
  "Embeddings",
  "Q, K, V",
  "Scores",
  "Scale",
  "Mask",
  "Softmax",
  "Weighted sum",
  "Output",
].map((short) => ({
  id: short,
  title: short,
  short,
}));

function switchStates(): HTMLElement {
  const still = () => undefined;
  const mask = switches({
    legend: "mask",
    value: "causal",
    onChange: still,
    options: [
      { value: "none", label: "none" },
      { value: "causal", label: "causal" },
    ],
    hint: "Causal is a decoder's: no word sees a later one.",
  });
  const heads = switches({
    legend: "heads",
    value: 2,
    onChange: still,
    options: [
      { value: 1, label: "1" },
      { value: 2, label: "2" },
      { value: 3, label: "3", disabled: true, hint: "3 does not divide 4" },
    ],
  });
  const compare = toggleButton("compare with before", true, (on) => compare.set(on));
  const undo = button({ label: "undo", onClick: still, disabled: true });
  const plain = [
    button({ label: "reset", onClick: still }),
    button({ label: "copy", onClick: still, kind: "quiet" }),
    button({ label: "add the word", onClick: still, kind: "primary" }),
  ];
  return exhibit(
    "switches and buttons",
    h("div", { class: "toolbar" }, mask.element, heads.element, compare.element, undo, plain),
  );
}

function sentenceState(): HTMLElement {
  const chips = wordChips(SENTENCE, {
    replaceWord: (at, word) => show(words.map((old, i) => (i === at ? word : old))),
    removeWord: (at) => show(words.filter((_, i) => i !== at)),
    moveWord: (from, to) => {
      const rest = words.filter((_, i) => i !== from);
      show([...rest.slice(0, to), words[from] as string, ...rest.slice(to)]);
    },
    addWord: (word) => show([...words, word]),
  });
  let words = SENTENCE;
  const show = (next: string[]) => {
    words = next;
    chips.update(next);
  };
  const open = wordChips(["the", "dog", " "], {
    replaceWord: () => undefined,
    removeWord: () => undefined,
    moveWord: () => undefined,
    addWord: () => undefined,
  });
  open.element.querySelectorAll("button")[1]?.click();
  return exhibit(
    "the sentence, and a word being edited",
    chips.element,
    h("div", { class: "apart" }, open.element),
  );
}

function noticeStates(): HTMLElement {
  const run = () => undefined;
  return exhibit(
    "notices",
    h(
      "div",
      { class: "notices" },
      notice({
        kind: "note",
        text: "The row of “fox” is a suggestion; any entry of it can be edited.",
        action: { label: "type my own", run },
        dismiss: run,
      }),
      notice({
        kind: "warning",
        text: "Masking by 0 lets a masked word keep e to the power 0, which is 1, of every row.",
      }),
      notice({
        kind: "error",
        text: "W_Q has 3 rows, and E has 4 columns: as many rows as d_model were expected.",
      }),
    ),
  );
}

function dialogState(): HTMLElement {
  const field = textField("4 numbers, with spaces between them", "0.5 −1 0 0.25");
  const asking = dialog({
    title: "The row of “fox” in E",
    content: [field.element],
    confirm: "use this row",
    onConfirm: () => (field.input.value.trim() ? null : "The row needs 4 numbers and has none."),
  });
  return exhibit("dialog", button({ label: "open the dialog", onClick: asking.open }), asking.element);
}

export function controlStates(): HTMLElement {
  const bar = pipelineBar(STEPS, (id) => bar.current(id));
  bar.current("Scale");
  bar.element.classList.add("in-gallery");
  bar.element.setAttribute("aria-label", "steps, as an exhibit");
  return section(
    "controls",
    "Controls",
    "Ink on paper: a pressed thing is filled, a thing that cannot be pressed is dashed.",
    switchStates(),
    sentenceState(),
    noticeStates(),
    dialogState(),
    exhibit("pipeline bar", bar.element),
  );
}
