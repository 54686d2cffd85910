/**
 * Curves over steps: an axis with round numbers on each side, a mark at one step, and its values as text.
 *
 * The plot is a slider: arrow keys walk over the steps, the pointer reads them, a press chooses one. The lines are SVG that
 * stretches; every word stands beside it as text of a fixed size, so that it reads on a phone.
 */
import { attribute, h, replace } from "./dom";
import { type Digits, formatNumber } from "./numbers";
import { svg } from "./svg";
import { ticks } from "./ticks";

export interface ChartLine {
  name: string;
  /** One value for each step of the chart; what is not finite leaves a gap. */
  values: ArrayLike<number>;
  /** Drawn in ink; the others in grey. */
  strong: boolean;
}

export interface ChartModel {
  /** What the curves are of: "loss". */
  name: string;
  /** The steps along the bottom, rising. */
  steps: ArrayLike<number>;
  lines: ChartLine[];
  /** The place in `steps` of the mark. */
  at: number;
  digits: Digits;
  /** The range of the upright axis has at least these in it. */
  include?: number[];
  /** A dashed line across, with its name. */
  goal?: { value: number; name: string };
}

export interface Chart {
  element: HTMLElement;
  update(model: ChartModel): void;
}

/** How many steps PageUp and PageDown move. */
const PAGE = 10;

/** `choose` is called with the place of a step that was pressed or reached with a key. */
export function createChart(model: ChartModel, choose: (at: number) => void): Chart {
  return new CurveChart(model, choose);
}

class CurveChart implements Chart {
  readonly element: HTMLElement;
  private readonly lines = svg("svg", {
    viewBox: "0 0 100 100",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  private readonly mark = h("span", { class: "chart-mark" });
  private readonly across = h("span", { class: "chart-goal", hidden: true });
  private readonly plot: HTMLElement;
  private readonly upright = h("div", { class: "chart-upright", "aria-hidden": "true" });
  private readonly along = h("div", { class: "chart-along", "aria-hidden": "true" });
  private readonly readout = h("p", { class: "chart-readout" });
  private readonly names = { y: h("span"), x: h("span", null, "step →") };
  private range: [number, number] = [0, 1];
  /** The step under the pointer. */
  private hovered: number | null = null;

  constructor(
    private model: ChartModel,
    private readonly choose: (at: number) => void,
  ) {
    this.plot = h(
      "div",
      {
        class: "chart-plot",
        role: "slider",
        tabindex: "0",
        onkeydown: (event) => this.onKey(event),
        onpointermove: (event) => this.onPointer(event),
        onpointerdown: (event) => this.onPointer(event),
        onpointerleave: () => this.hover(null),
      },
      this.lines,
      this.across,
      this.mark,
    );
    this.element = h(
      "div",
      { class: "chart" },
      h("p", { class: "chart-name" }, this.names.y, " ↑"),
      h("div", { class: "chart-box" }, this.upright, this.plot, this.along),
      h("p", { class: "chart-name along" }, this.names.x),
      this.readout,
    );
    this.update(model);
  }

  update(model: ChartModel): void {
    this.model = model;
    this.range = rangeOf(model);
    this.names.y.textContent = model.name;
    this.drawLines();
    this.drawTicks();
    this.drawGoal();
    this.drawMark();
  }

  private get last(): number {
    return this.model.steps.length - 1;
  }

  private x(at: number): number {
    const { steps } = this.model;
    const [from, to] = [steps[0] ?? 0, steps[this.last] ?? 0];
    return to > from ? (((steps[at] ?? from) - from) / (to - from)) * 100 : 0;
  }

  private y(value: number): number {
    const [from, to] = this.range;
    return 100 - ((value - from) / (to - from)) * 100;
  }

  private drawLines(): void {
    // The lines in ink come last, so that no other lies over them.
    const order = [...this.model.lines].sort((a, b) => Number(a.strong) - Number(b.strong));
    this.lines.replaceChildren(
      ...order.map((line) =>
        svg("path", { d: this.path(line.values), class: line.strong ? "curve strong" : "curve" }),
      ),
    );
  }

  private path(values: ArrayLike<number>): string {
    let text = "";
    let open = false;
    for (let i = 0; i < Math.min(values.length, this.model.steps.length); i++) {
      const value = values[i] as number;
      if (Number.isFinite(value))
        text += `${open ? "L" : "M"}${this.x(i).toFixed(2)} ${this.y(value).toFixed(2)}`;
      open = Number.isFinite(value);
    }
    return text;
  }

  private drawTicks(): void {
    const { steps } = this.model;
    const [from, to] = [steps[0] ?? 0, steps[this.last] ?? 0];
    const numbers = ticks(this.range[0], this.range[1], 5);
    replace(
      this.upright,
      numbers.map((value) =>
        h("span", { style: { "inset-block-start": `${this.y(value)}%` } }, formatNumber(value, "full")),
      ),
    );
    const places = to > from ? ticks(from, to, 5) : [from];
    const share = (value: number) => (to > from ? ((value - from) / (to - from)) * 100 : 0);
    replace(
      this.along,
      places.map((value) =>
        h("span", { style: { "inset-inline-start": `${share(value)}%` } }, formatNumber(value, "full")),
      ),
    );
  }

  private drawGoal(): void {
    const { goal } = this.model;
    this.across.hidden = goal === undefined;
    if (!goal) return;
    this.across.style.setProperty("inset-block-start", `${this.y(goal.value)}%`);
    this.across.textContent = goal.name;
  }

  private drawMark(): void {
    const { name, at, steps } = this.model;
    const shown = this.hovered ?? at;
    const told = this.told(shown);
    this.mark.style.setProperty("inset-inline-start", `${this.x(shown)}%`);
    this.readout.textContent = told;
    const values: [string, string][] = [
      ["aria-label", `${name} at step`],
      ["aria-valuemin", String(steps[0] ?? 0)],
      ["aria-valuemax", String(steps[this.last] ?? 0)],
      ["aria-valuenow", String(steps[at] ?? 0)],
      ["aria-valuetext", this.told(at)],
    ];
    for (const [key, value] of values) attribute(this.plot, key, value);
  }

  /** "step 12: loss 0.53", and of several lines "step 12: layer 0, head 0: 0.17; layer 0, head 1: 0.69" */
  private told(at: number): string {
    const { steps, lines, digits } = this.model;
    const values = lines.map(({ name, values: all }) => {
      const value = all[at];
      if (value === undefined) return null;
      return `${name}${lines.length > 1 ? ":" : ""} ${formatNumber(value, digits)}`;
    });
    return `step ${steps[at] ?? 0}: ${values.filter(Boolean).join("; ")}`;
  }

  private hover(at: number | null): void {
    this.hovered = at;
    this.drawMark();
  }

  private onPointer(event: PointerEvent): void {
    const box = this.plot.getBoundingClientRect();
    const share = box.width > 0 ? (event.clientX - box.left) / box.width : 0;
    const at = nearest(this.model.steps, share);
    if (event.type === "pointerdown" || event.buttons === 1) this.choose(at);
    this.hover(at);
  }

  private onKey(event: KeyboardEvent): void {
    const to = keyed(event.key, this.model.at, this.last);
    if (to === null || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(this.last, to)));
  }
}

function keyed(key: string, at: number, last: number): number | null {
  const moves: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - PAGE,
    PageUp: at + PAGE,
    Home: 0,
    End: last,
  };
  return moves[key] ?? null;
}

/** The place of the step nearest to a share of the way along the axis. */
export function nearest(steps: ArrayLike<number>, share: number): number {
  const [from, to] = [steps[0] ?? 0, steps[steps.length - 1] ?? 0];
  const wanted = from + share * (to - from);
  let best = 0;
  for (let i = 1; i < steps.length; i++)
    if (Math.abs((steps[i] as number) - wanted) < Math.abs((steps[best] as number) - wanted)) best = i;
  return best;
}

/** The finite values of all lines, with some air; never empty. */
function rangeOf({ lines, include = [], goal }: ChartModel): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const add = (value: number) => {
    if (!Number.isFinite(value)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  for (const { values } of lines) for (let i = 0; i < values.length; i++) add(values[i] as number);
  for (const value of [...include, ...(goal ? [goal.value] : [])]) add(value);
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high + (high - low) * 0.04];
}
