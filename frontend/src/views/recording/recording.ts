import { type Chart, type ChartModel, createChart } from "../../draw/chart";
import { notice } from "../../draw/controls";
import { h, replace } from "../../draw/dom";
import { findings } from "../../draw/findings";
import { type Digits, formatNumber } from "../../draw/numbers";
import { asker, floats } from "../../state/asking";
import { placeOf } from "../../state/keptsteps";
import type { Recorded } from "../../wire/types";
import type { Part, PartNeeds } from "../part";
import { partFrame } from "../partframe";
import { player } from "../training/player";

const SAYS = [
  "The training of a person's own model, as it was recorded: its losses, and its parameters at every step that was saved.",
];

/** A training that was recorded while it ran elsewhere: no example stands behind it. */
export function recordingPart(needs: PartNeeds): Part {
  return new RecordingPart(needs);
}

class RecordingPart implements Part {
  readonly id = "recording";
  readonly title = "A training";
  readonly short = "Training";
  readonly element: HTMLElement;
  readonly heading: HTMLElement;
  private readonly ask;
  private readonly player = player((at) => this.go(this.shown?.data.saved[at] ?? 0));
  private readonly facts = h("ul", { class: "facts" });
  private readonly curve = h("div", { class: "loss-curve" });
  private readonly parameters = h("div");
  private readonly trouble = h("div");
  private chart: Chart | null = null;
  private shown: { data: Recorded; losses: Float64Array } | null = null;
  private step: number | null = null;
  private drawn: unknown[] = [];

  constructor(private readonly needs: PartNeeds) {
    const { store, host, stop } = needs;
    const watched = h(
      "div",
      { class: "training-watched" },
      this.player.element,
      this.curve,
      this.facts,
      this.parameters,
    );
    const frame = partFrame(this.id, this.title, SAYS, this.trouble, watched);
    this.element = frame.element;
    this.heading = frame.heading;
    this.ask = asker(host);
    const leave = [
      store.page.subscribe(() => this.follow()),
      host.status.subscribe((now) => {
        if (now === "open" && this.shown?.data.step !== this.step) this.step = null;
        this.follow();
      }),
    ];
    stop.addEventListener("abort", () => {
      for (const run of leave) run();
      this.player.stop();
    });
  }

  /** It belongs to no picture of an example. */
  applies(): boolean {
    return false;
  }

  update(): void {}

  ahead(): boolean {
    this.follow();
    return this.stands;
  }

  /** Whether this is what the page is about: one that has an example has no recording. */
  private get stands(): boolean {
    return this.needs.store.page.value.state.example === "";
  }

  private go(step: number): void {
    const { store } = this.needs;
    store.slide({ ...store.page.value.state, step });
  }

  private choose(at: number): void {
    if (this.shown === null) return;
    const { data, losses } = this.shown;
    const place = at >= losses.length - 1 ? data.saved.length - 1 : placeOf(data.saved, at);
    this.go(data.saved[place] ?? 0);
  }

  private follow(): void {
    if (!this.stands) return;
    const { state } = this.needs.store.page.value;
    if ((state.step ?? 0) !== this.step) void this.fetch(state.step ?? 0);
    this.draw();
  }

  private async fetch(step: number): Promise<void> {
    this.step = step;
    const state = { example: "", step };
    const outcome = await this.ask({ ask: "recording", state }, "recording");
    if (outcome === null) return;
    const wrong = typeof outcome === "string" ? outcome : "";
    replace(this.trouble, wrong !== "" && notice({ kind: "error", text: wrong }));
    if (typeof outcome === "string") return;
    const { data, buffers } = outcome;
    // Between two saved steps the training stands where the earlier one left it.
    this.shown = { data, losses: floats(buffers, data.losses) };
    this.draw();
    this.player.arrived(data.saved.indexOf(data.step));
  }

  private draw(): void {
    const { digits } = this.needs.store.page.value;
    const next = [this.shown, digits];
    if (this.shown === null || next.every((one, i) => one === this.drawn[i])) return;
    this.drawn = next;
    const { data, losses } = this.shown;
    const { step, saved } = data;
    this.heading.textContent = data.title;
    replace(
      this.facts,
      data.facts.map((fact) => h("li", null, h("bdi", null, fact))),
    );
    const told = `step ${step} of ${saved.at(-1)}${lossAt(losses, step, digits)}`;
    this.player.update(saved.indexOf(step), saved.length - 1, told);
    this.drawCurve(data, losses, digits);
    replace(this.parameters, parameterTable(data, digits));
  }

  private drawCurve({ step }: Recorded, losses: Float64Array, digits: Digits): void {
    this.curve.hidden = losses.length === 0;
    // One loss for each update, that of the parameters before it; the end has none, and stands with the last.
    const steps = Array.from(losses, (_, at) => at);
    const lines = [{ name: "loss", values: losses, strong: true }];
    const model: ChartModel = {
      ...{ name: "loss", steps, lines, digits, include: [0] },
      at: Math.max(0, Math.min(step, losses.length - 1)),
    };
    if (this.chart) this.chart.update(model);
    else {
      this.chart = createChart(model, (at) => this.choose(at));
      this.curve.append(this.chart.element);
    }
  }
}

function lossAt(losses: Float64Array, step: number, digits: Digits): string {
  const [now, last] = [losses[step], losses[step - 1]];
  if (now !== undefined) return `: loss ${formatNumber(now, digits)}`;
  return last === undefined ? "" : `: loss ${formatNumber(last, digits)} before its last update`;
}

function parameterTable({ parameters, saved, step }: Recorded, digits: Digits): HTMLElement {
  const number = (value: number | null) => (value === null ? "" : formatNumber(value, digits));
  return findings(
    `Its parameters after step ${step}; how far they moved since step ${saved[0]}, as a part of how large they were then`,
    ["parameter", "shape", "size (RMS)", "moved"],
    parameters.map(({ name, shape, size, moved }) => [
      h("bdi", null, name),
      shape.length === 0 ? "one number" : shape.join(" × "),
      number(size),
      number(moved),
    ]),
  );
}
