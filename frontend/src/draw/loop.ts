/**
 * The training loop as a map: forwards from left to right, back beneath it, and the update that closes the ring. Every
 * step is a button with its name; the arrows are decoration and say nothing that the order does not say.
 */
import { h, spoken } from "./dom";
import { inline } from "./inline";

export interface LoopStep {
  id: string;
  short: string;
  /** What flows back beside this step, "dQ dK dV"; null where nothing stands. The update, which comes first, has none. */
  gradients: string | null;
}

/** Letters of a name that always stands on one line. */
const SHORT = 8;

/** `steps` run from the update (or, without one, from the beginning) to the loss. */
export function loopMap(steps: LoopStep[], jump: (id: string, backwards: boolean) => void): HTMLElement {
  const [first] = steps;
  const update = first?.id === "update" ? first : null;
  const forward = update ? steps.slice(1) : steps;
  const count = String(forward.length);
  return h(
    "nav",
    { class: "loop", "aria-label": "the training loop", style: { "--loop-steps": count } },
    update &&
      h(
        "p",
        { class: "loop-update" },
        stepButton(update.short, () => jump(update.id, false)),
      ),
    h(
      "ol",
      { class: "loop-forward", "aria-label": "forwards" },
      forward.map(({ id, short }, i) =>
        h(
          "li",
          { style: place(i) },
          stepButton(short, () => jump(id, false)),
        ),
      ),
    ),
    h(
      "ol",
      { class: "loop-backward", "aria-label": "backwards" },
      [...forward]
        .reverse()
        .map(({ id, short, gradients }, i) =>
          h(
            "li",
            { style: place(forward.length - 1 - i) },
            gradients === null
              ? h("span", { class: "loop-gap", "aria-hidden": "true" })
              : stepButton(gradients, () => jump(id, true), `, backwards through ${short}`),
          ),
        ),
    ),
  );
}

function place(at: number): Record<string, string> {
  return { "--loop-at": String(at + 1) };
}

function stepButton(label: string, onclick: () => void, more = ""): HTMLElement {
  // A short name would stand on several lines for nothing.
  const className = label.length <= SHORT ? "loop-step short" : "loop-step";
  return h("button", { type: "button", class: className, onclick }, inline(label), more && spoken(more));
}
