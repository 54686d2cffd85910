import { type Chart, type ChartModel, createChart } from "../../draw/chart";
import { button, notice } from "../../draw/controls";
import { h, replace } from "../../draw/dom";
import type { Part, PartNeeds } from "../part";
import { partFrame } from "../partframe";
import { headMaps, headName } from "./maps";
import { type LiveRun, liveRun, type Moment } from "./run";
import { FIRST_SETTING, liveSettings } from "./settings";

const SAYS = [
  "A model with attention and nothing else reads random tokens, among which one segment comes twice. In the second copy " +
    "every next token can be known: look back to where this token stood before, and take what came after it. A head that does " +
    "this is called an induction head, and nobody builds it in.",
  "Press train and watch. Each map shows how one head weighs the positions of a sequence that it is not trained on; the " +
    "framed cells are where an induction head looks. Then take something away, and see what it was for.",
];

/** A score above this is a head that has formed. */
const FORMED = 0.8;

/** An induction head that comes into being while one watches. */
export function livePart(needs: PartNeeds): Part {
  return new LivePart(needs);
}

class LivePart implements Part {
  readonly id = "live";
  readonly title = "Watch a head come into being";
  readonly short = "Live";
  readonly element: HTMLElement;
  readonly heading: HTMLElement;
  private readonly run: LiveRun;
  private readonly train = button({ label: "train", kind: "primary", onClick: () => this.toggle() });
  private readonly maps = headMaps();
  private readonly says = h("p", { class: "live-says" });
  private readonly status = h("p", { class: "visually-hidden", role: "status" });
  private readonly said = h("div");
  private readonly curves = h("div", { class: "live-curves" });
  private readonly watched = h(
    "div",
    { class: "live-watched", hidden: true },
    this.says,
    this.maps.element,
    this.curves,
  );
  private charts: { losses: Chart; scores: Chart } | null = null;
  private marks = { loss: Number.POSITIVE_INFINITY, score: Number.POSITIVE_INFINITY };
  private last: Moment | null = null;

  constructor(private readonly needs: PartNeeds) {
    this.run = liveRun(needs.host, FIRST_SETTING, {
      moment: (moment) => this.draw(moment),
      changed: () => this.drawButton(),
      problem: (text) => this.explain(text),
    });
    const settings = liveSettings(
      (setting) => {
        this.explain("");
        this.forget();
        this.run.reset(setting);
      },
      (text) => this.explain(text),
    );
    const reset = button({
      label: "start over",
      title: "back to the model before its first step",
      onClick: () => {
        this.run.pause();
        this.forget();
        this.run.reset();
      },
    });
    const tools = h("div", { class: "toolbar" }, this.train, reset);
    const frame = partFrame(this.id, this.title, SAYS, settings, tools, this.status, this.said, this.watched);
    this.element = frame.element;
    this.heading = frame.heading;
    this.drawButton();
    needs.stop.addEventListener("abort", () => this.run.pause());
    this.followTheme(needs.stop);
  }

  applies(): boolean {
    return true;
  }

  update(): void {
    if (this.last) this.draw(this.last); // the number of decimals may be another
  }

  private toggle(): void {
    this.explain("");
    if (this.run.running) this.run.pause();
    else this.run.start();
  }

  private forget(): void {
    this.marks = { loss: Number.POSITIVE_INFINITY, score: Number.POSITIVE_INFINITY };
  }

  private drawButton(): void {
    const { running } = this.run;
    this.train.textContent = running ? "pause" : this.last?.data.finished ? "train again" : "train";
    // Ten times a second would be no help to a listener: what is said is what the training has come to.
    this.status.textContent = running ? "training" : (this.last?.data.says ?? "");
  }

  private explain(text: string): void {
    replace(this.said, text !== "" && notice({ kind: "error", text }));
  }

  private draw(moment: Moment): void {
    this.last = moment;
    const { digits } = this.needs.store.page.value;
    this.watched.hidden = false;
    this.says.textContent = `Step ${moment.data.step} of at most ${moment.data.steps_most}. ${moment.data.says}`;
    this.maps.update(moment, digits);
    const models = this.models(moment);
    if (this.charts) {
      this.charts.losses.update(models.losses);
      this.charts.scores.update(models.scores);
    } else {
      const redraw = () => this.last && this.draw(this.last);
      this.charts = {
        losses: createChart(models.losses, (at) => {
          this.marks.loss = at;
          redraw();
        }),
        scores: createChart(models.scores, (at) => {
          this.marks.score = at;
          redraw();
        }),
      };
      replace(this.curves, this.charts.scores.element, this.charts.losses.element);
    }
  }

  private models({ data, losses, scores }: Moment): { losses: ChartModel; scores: ChartModel } {
    const { digits } = this.needs.store.page.value;
    const count = data.layers * data.heads;
    const best = (data.best[0] ?? 0) * data.heads + (data.best[1] ?? 0);
    return {
      losses: {
        name: "loss",
        steps: Array.from(losses, (_, i) => i + 1),
        lines: [{ name: "loss", values: losses, strong: true }],
        at: Math.max(0, Math.min(this.marks.loss, losses.length - 1)),
        digits,
        include: [0],
      },
      scores: {
        name: "score of each head",
        steps: data.measured,
        lines: Array.from({ length: count }, (_, head) => ({
          name: headName(data.heads, head),
          values: data.measured.map((__, i) => scores[i * count + head] ?? Number.NaN),
          strong: head === best,
        })),
        at: Math.max(0, Math.min(this.marks.score, data.measured.length - 1)),
        digits,
        include: [0, 1],
        goal: { value: FORMED, name: `${FORMED}` },
      },
    };
  }

  /** The maps are pictures and know no themes; they are drawn again when the theme changes. */
  private followTheme(stop: AbortSignal): void {
    const redraw = () => this.maps.redraw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw, { signal: stop });
    const observer = new MutationObserver(redraw);
    requestAnimationFrame(() => {
      const root = this.element.closest(".clearhead");
      if (root && !stop.aborted) observer.observe(root, { attributeFilter: ["data-theme"] });
    });
    stop.addEventListener("abort", () => observer.disconnect());
  }
}
