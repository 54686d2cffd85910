import { button, notice, switches } from "../../draw/controls";
import { textField } from "../../draw/dialog";
import { h, replace } from "../../draw/dom";
import { parseNumber, plainNumber } from "../../draw/numbers";
import type { Optimizer, TrainingPlan } from "../../wire/types";

/** More steps take longer than anyone waits for a page. */
export const MOST_STEPS = 2000;

const OPTIMIZERS: { value: Optimizer; label: string }[] = [
  { value: "sgd", label: "SGD" },
  { value: "momentum", label: "momentum" },
  { value: "adamw", label: "AdamW" },
];

export const FIRST_PLAN: TrainingPlan = { optimizer: "sgd", learning_rate: 0.1, steps: 50 };

/** The plan that was typed, or one sentence about what is wrong with it. */
export function readPlan(optimizer: Optimizer, rate: string, steps: string): TrainingPlan | string {
  const learning_rate = parseNumber(rate);
  if (learning_rate === null)
    return `Learning rate: “${rate.trim()}” is not a number; a number above 0 such as 0.1 was expected.`;
  if (learning_rate <= 0)
    return `Learning rate: ${rate.trim()} is not above 0; a number above 0 such as 0.1 was expected.`;
  const count = /^\s*\d{1,9}\s*$/.test(steps) ? Number(steps) : 0;
  if (count < 1 || count > MOST_STEPS)
    return `Steps: “${steps.trim()}” was given, and a whole number from 1 to ${MOST_STEPS} was expected.`;
  return { optimizer, learning_rate, steps: count };
}

export interface PlanForm {
  element: HTMLElement;
  show(plan: TrainingPlan): void;
  /** One sentence about the plan; an empty one takes it away. */
  explain(sentence: string, kind?: "error" | "warning"): void;
  busy(on: boolean): void;
}

/** How to train: the optimiser, the learning rate, the number of steps, and the button that starts it. */
export function planForm(start: (plan: TrainingPlan) => void): PlanForm {
  let optimizer = FIRST_PLAN.optimizer;
  const which = switches<Optimizer>({
    legend: "optimiser",
    options: OPTIMIZERS,
    value: optimizer,
    onChange: (value) => {
      optimizer = value;
    },
  });
  const rate = textField("learning rate", plainNumber(FIRST_PLAN.learning_rate));
  const steps = textField("steps", String(FIRST_PLAN.steps));
  rate.input.inputMode = "decimal";
  steps.input.inputMode = "numeric";
  const train = button({ label: "train", kind: "primary", onClick: () => undefined });
  train.type = "submit";
  const said = h("div", { class: "plan-said" });
  const element = h(
    "form",
    {
      class: "plan",
      onsubmit: (event: Event) => {
        event.preventDefault();
        const plan = readPlan(optimizer, rate.input.value, steps.input.value);
        if (typeof plan === "string") explain(plan);
        else start(plan);
      },
    },
    h("div", { class: "toolbar" }, which.element, rate.element, steps.element, train),
    said,
  );

  let told = "";
  function explain(sentence: string, kind: "error" | "warning" = "error"): void {
    if (`${kind} ${sentence}` === told) return;
    told = `${kind} ${sentence}`;
    replace(said, sentence !== "" && notice({ kind, text: sentence }));
  }

  return {
    element,
    show(plan) {
      optimizer = plan.optimizer;
      which.set(optimizer);
      // What is being typed is left alone.
      for (const [{ input }, text] of [
        [rate, plainNumber(plan.learning_rate)],
        [steps, String(plan.steps)],
      ] as const)
        if ((input.getRootNode() as Document | ShadowRoot).activeElement !== input) input.value = text;
    },
    explain,
    busy(on) {
      train.setAttribute("aria-disabled", String(on));
      train.textContent = on ? "training …" : "train";
    },
  };
}
