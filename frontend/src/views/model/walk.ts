import { explanationPanel } from "../../draw/arithmetic";
import { h, replace } from "../../draw/dom";
import { inline } from "../../draw/inline";
import { displayFormula } from "../../draw/mathml";
import type { ModelLook } from "../../state/model";
import { same } from "../../state/page";
import { type Picture, picture } from "../../state/picture";
import type { CellRef, Digits, Explanation, HeadWalk, Stop, Walkthrough, WireBuffer } from "../../wire/types";
import type { FigureSet } from "../walkthrough/figureset";
import { asTable, toClipboard } from "../walkthrough/files";
import { drawLights, isAbout } from "../walkthrough/lights";
import { FigureLines } from "../walkthrough/lines";
import { focusCell, isShown, pointTo } from "../walkthrough/pointing";
import type { StopHandlers } from "../walkthrough/scene";
import { markWideFormulas } from "../walkthrough/scrolling";

interface WalkHandlers {
  open(cell: CellRef | null): void;
  setDigits(digits: Digits): void;
  /** One sentence worth telling. */
  tell(sentence: string): void;
}

/** The walkthrough of one head of a real model, with the same matrices and the same arithmetic as the page above. */
export class HeadWalkView {
  readonly element = h("div", { class: "model-walk" });
  /** The arithmetic of its cells; it stands beside the text in the place of the page's own. */
  readonly side: HTMLElement;
  private readonly panel;
  private readonly sections = new Map<string, WalkSection>();
  private shown: Picture | null = null;
  private source: HeadWalk | null = null;
  private explanation: Explanation | null = null;
  private cell: CellRef | null = null;
  private trail: CellRef[] = [];
  private feeds = false;
  private stops = "";

  constructor(private readonly handlers: WalkHandlers) {
    this.panel = explanationPanel({
      openCell: (cell) => this.open(cell, true),
      close: () => this.close(),
      setDigits: handlers.setDigits,
      showFeeds: (on) => {
        this.feeds = on;
        this.light();
      },
      copy: (kind) => void this.copy(kind),
    });
    this.side = this.panel.element;
    this.side.classList.add("model-arithmetic");
  }

  update(data: HeadWalk, buffers: WireBuffer[], look: ModelLook, digits: Digits): void {
    if (this.source !== data) this.shown = pictureOf(data, buffers);
    this.source = data;
    this.arrange(data.stops);
    const scene = {
      picture: this.shown as Picture,
      look: { digits, compare: false, given: null },
      query: look.query ?? data.query,
    };
    for (const stop of data.stops) this.sections.get(stop.id)?.draw(stop, scene);
    this.panel.setDigits(digits);
    this.light();
  }

  /** The open cell and what is known of it. */
  explain(cell: CellRef | null, explanation: Explanation | null): void {
    const another = !same(cell, this.cell);
    this.cell = cell;
    if (cell === null) this.trail = [];
    else if (!this.trail.some((one) => same(one, cell))) this.trail = [cell];
    const about = cell && explanation && isAbout(explanation, cell) ? explanation : null;
    if (cell === null) this.panel.hide();
    else if (about && about !== this.explanation) this.panel.show(about, [...this.trail]);
    this.explanation = about;
    this.light();
    if (another && cell && isShown(this.sets(), cell)) pointTo(this.sets(), cell);
  }

  close(): void {
    const { cell } = this;
    if (cell === null) return;
    const inside = this.side.contains(this.side.ownerDocument.activeElement);
    this.handlers.open(null);
    if (inside) focusCell(this.sets(), cell);
  }

  private open(cell: CellRef, deeper: boolean): void {
    const known = this.trail.findIndex((one) => same(one, cell));
    if (known >= 0) this.trail = this.trail.slice(0, known + 1);
    else this.trail = deeper ? [...this.trail, cell] : [cell];
    this.handlers.open(cell);
  }

  private async copy(kind: "text" | "latex"): Promise<void> {
    const text = this.explanation?.[kind];
    if (text === undefined) return;
    const copied = await toClipboard(text);
    this.handlers.tell(copied ? "Copied the arithmetic." : "The browser does not allow copying here.");
  }

  private sets(): FigureSet[] {
    return [...this.sections.values()].flatMap((section) => section.lines.sets());
  }

  private light(): void {
    drawLights(this.sets(), { cell: this.cell, feeds: this.feeds }, this.explanation);
  }

  private arrange(stops: Stop[]): void {
    const ids = JSON.stringify(stops.map(({ id }) => id));
    if (ids === this.stops) return;
    this.stops = ids;
    const kept = new Set(stops.map(({ id }) => id));
    for (const id of [...this.sections.keys()]) if (!kept.has(id)) this.sections.delete(id);
    const handlers: StopHandlers = {
      open: (cell) => this.open(cell, false),
      edit: () => undefined,
      copy: (figure) => {
        if (this.shown) void toClipboard(asTable(figure, this.shown));
      },
      chooseQuery: () => undefined,
      jump: () => undefined,
      unfolded: () => this.light(),
    };
    for (const { id } of stops)
      if (!this.sections.has(id)) this.sections.set(id, new WalkSection(id, handlers));
    replace(
      this.element,
      stops.map(({ id }) => this.sections.get(id)?.element),
    );
  }
}

class WalkSection {
  readonly lines: FigureLines;
  readonly element: HTMLElement;
  private readonly title = h("h4");
  private readonly prose = h("div", { class: "prose" });
  private readonly formulas = h("div", { class: "formulas" });
  private words = "";

  constructor(id: string, handlers: StopHandlers) {
    this.lines = new FigureLines(`model-${id}`, handlers, "stop-matrices");
    this.element = h(
      "section",
      { class: "walk-step" },
      this.title,
      this.prose,
      this.formulas,
      this.lines.element,
    );
  }

  draw(stop: Stop, scene: Parameters<FigureLines["draw"]>[1]): void {
    const words = JSON.stringify([stop.title, stop.text, stop.formulas]);
    if (words !== this.words) {
      this.words = words;
      replace(this.title, inline(stop.title));
      replace(
        this.prose,
        stop.text.map((paragraph) => h("p", null, inline(paragraph))),
      );
      replace(this.formulas, stop.formulas.map(displayFormula));
      requestAnimationFrame(() => this.element.isConnected && markWideFormulas(this.element));
    }
    this.lines.draw(stop.quantities, scene);
  }
}

/** The answer as the page's pictures are: its tokens are the positions, and nothing can be edited. */
function pictureOf(data: HeadWalk, buffers: WireBuffer[]): Picture {
  const state = { example: "" };
  const whole: Walkthrough = {
    kind: "walkthrough",
    example: { name: "", title: data.label, look_for: "" },
    ...{ tokens: data.queries, vocabulary: [], layers: 1, layer: 0 },
    settings: {
      ...{ heads: 1, head_choices: [1], mask: "none", mask_fill: "-inf", scale: true, positions: "none" },
      ...{
        position_choices: [],
        scale_embeddings: false,
        d_model: 0,
        d_head: 0,
        norm: "none",
        norm_place: "pre",
      },
      ...{ activation: "relu", activation_choices: [], temperature: 1, predicts: false },
    },
    quantities: data.quantities,
    stops: data.stops,
    notices: data.notices,
  };
  return { ...picture(state, whole, buffers), keys: data.keys };
}
