import { type Chart, type ChartModel, createChart } from "../../draw/chart";
import { h } from "../../draw/dom";
import { formatNumber } from "../../draw/numbers";
import { asker, floats } from "../../state/asking";
import { atStep, untrained } from "../../state/changes";
import { placeOf } from "../../state/keptsteps";
import { same } from "../../state/page";
import type { Picture } from "../../state/picture";
import type { State, TrainingPlan } from "../../wire/types";
import type { Part, PartNeeds } from "../part";
import { partFrame } from "../partframe";
import { planForm } from "./plan";
import { player } from "./player";
import { type TrainingNumbers, wordPictures } from "./words";

const SAYS = [
  "One update moves every weight a little against its gradient. Training is that, over and over: forwards to the loss, " +
    "backwards to the gradients, an update, and again with the new weights.",
  "Choose how, and train on the sentence above. Then move through the time of the training: every matrix, map, gradient " +
    "and word of the page shows the step that the slider stands at.",
];

/** Training, watched: the loss, the time to move through, and the words that drift. */
export function trainingPart(needs: PartNeeds): Part {
  return new TrainingPart(needs);
}

class TrainingPart implements Part {
  readonly id = "training";
  readonly title = "Training";
  readonly short = "Training";
  readonly element: HTMLElement;
  readonly heading: HTMLElement;
  private readonly ask;
  private readonly steps: readonly number[] | undefined;
  private readonly form = planForm((plan) => void this.start(plan));
  private readonly player = player((at) => this.go(this.steps?.[at] ?? at));
  private readonly words = wordPictures();
  private readonly curve = h("div", { class: "loss-curve" });
  private readonly watched = h(
    "div",
    { class: "training-watched", hidden: true },
    this.curve,
    this.words.element,
  );
  private chart: Chart | null = null;
  /** What the numbers are of, and the numbers. */
  private known: { state: State; numbers: TrainingNumbers } | null = null;
  private asked: State | null = null;
  /** What is drawn, so that a cell that is opened elsewhere draws nothing here. */
  private drawn: unknown[] = [];

  constructor(private readonly needs: PartNeeds) {
    // What was trained before is watched; where nothing else can be, there is nothing to choose.
    const kept = needs.host.holds !== undefined;
    const says = kept ? SAYS.slice(0, 1) : SAYS;
    const frame = partFrame(this.id, this.title, says, kept ? null : this.form.element, this.watched);
    this.element = frame.element;
    this.heading = frame.heading;
    this.ask = asker(needs.host);
    this.steps = needs.host.steps;
    this.placePlayer();
    const leave = needs.store.page.subscribe(() => this.draw());
    needs.stop.addEventListener("abort", () => {
      leave();
      this.player.stop();
    });
  }

  applies(picture: Picture): boolean {
    return picture.data.settings.predicts === true;
  }

  update({ state }: Picture): void {
    const { training } = state;
    if (training) this.form.show(training);
    if (training && !this.isOf(state)) void this.fetch(state, training);
    this.draw();
    this.player.arrived(this.place(state.step ?? 0));
  }

  /** What a page was opened for is at hand at its top; of what is trained here the time stands here. */
  private placePlayer(): void {
    const { training, step = 0 } = this.needs.store.page.value.state;
    (training ? this.needs.top : this.watched).prepend(this.player.element);
    if (training) this.move(step, training.steps, "");
  }

  /** Trains as asked; the page follows only when that was possible. */
  private async start(plan: TrainingPlan): Promise<void> {
    const { store } = this.needs;
    const numbers = await this.fetch(store.page.value.state, plan);
    if (!numbers) return;
    this.watched.prepend(this.player.element);
    store.change(atStep(store.page.value.state, plan, numbers.losses.length - 1));
  }

  private async fetch(state: State, plan: TrainingPlan): Promise<TrainingNumbers | null> {
    const given = { ...untrained(state), training: plan };
    if (same(given, this.asked)) return null;
    this.asked = given;
    this.form.busy(true);
    const outcome = await this.ask({ ask: "training", state: given }, "training");
    if (!same(given, this.asked)) return null;
    this.asked = null;
    this.form.busy(false);
    if (outcome === null || typeof outcome === "string") {
      this.form.explain(outcome ?? "");
      return null;
    }
    const { data, buffers } = outcome;
    this.form.explain(data.stopped ?? "", "warning");
    const numbers = {
      data,
      losses: floats(buffers, data.losses),
      points: floats(buffers, data.points),
      cosines: floats(buffers, data.cosines),
    };
    this.known = { state: given, numbers };
    this.draw();
    return numbers;
  }

  private isOf(state: State): boolean {
    return this.known !== null && same(this.known.state, { ...untrained(state), training: state.training });
  }

  private go(step: number): void {
    const { store } = this.needs;
    const there = this.steps?.[this.place(step)] ?? step;
    if (this.known?.state.training)
      store.slide(atStep(store.page.value.state, this.known.state.training, there));
  }

  /** Where the slider stands at a step: on a saved page it has a place for each step that was kept. */
  private place(step: number): number {
    return this.steps ? placeOf(this.steps, step) : step;
  }

  private move(step: number, last: number, loss: string): void {
    this.player.update(this.place(step), this.place(last), `step ${step} of ${last}${loss}`);
  }

  private draw(): void {
    const { state, digits } = this.needs.store.page.value;
    this.watched.hidden = this.known === null || state.training === undefined;
    this.player.element.hidden = state.training === undefined;
    if (this.known === null || this.watched.hidden) return;
    const { numbers } = this.known;
    const last = Math.max(0, numbers.losses.length - 1);
    const step = Math.min(state.step ?? 0, last);
    const sentence = this.needs.talk.picture.value?.data.tokens ?? [];
    const next = [numbers, step, digits, sentence.join()];
    if (next.every((one, i) => one === this.drawn[i])) return;
    this.drawn = next;
    const loss = formatNumber(numbers.losses[step] ?? Number.NaN, digits);
    this.move(step, last, `: loss ${loss}`);
    const model: ChartModel = {
      name: "loss",
      steps: Array.from(numbers.losses, (_, i) => i),
      lines: [{ name: "loss", values: numbers.losses, strong: true }],
      at: step,
      digits,
      include: [0],
    };
    if (this.chart) this.chart.update(model);
    else {
      this.chart = createChart(model, (at) => this.go(at));
      this.curve.append(this.chart.element);
    }
    this.words.update(numbers, placeOf(numbers.data.recorded, step), sentence, digits);
  }
}
