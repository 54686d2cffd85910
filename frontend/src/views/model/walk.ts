import { explanationPanel } from "../../draw/arithmetic";
import { h, replace } from "../../draw/dom";
import { inline } from "../../draw/inline";
import { displayFormula } from "../../draw/mathml";
import type { ModelLook } from "../../state/model";
import { same } from "../../state/page";
import { type Picture, picture } from "../../state/picture";
import type { CellRef, Digits, Explanation, HeadWalk, Stop, Walkthrough, WireBuffer } from "../../wire/types";
import { alignMiddle } from "../walkthrough/aligning";
import type { FigureSet } from "../walkthrough/figureset";
import { toClipboard, written } from "../walkthrough/files";
import { drawLights, isAbout } from "../walkthrough/lights";
import { FigureLines } from "../walkthrough/lines";
import { cellIn, focusCell, isShown, pointTo } from "../walkthrough/pointing";
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
  private digits: Digits = 2;
  private explanation: Explanation | null = null;
  private cell: CellRef | null = null;
  private trail: CellRef[] = [];
  private feeds = false;
  private stops = "";
  /** A cell to bring into sight as soon as it is drawn. */
  private wanted: CellRef | null = null;
  /** The cell that was opened here last; any other came with a link. */
  private opened: CellRef | null = null;

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
    this.digits = digits;
    this.arrange(data.stops);
    const scene = {
      picture: this.shown as Picture,
      look: { digits, compare: false, given: null, hides: null },
      query: look.query ?? data.query,
      practice: null,
    };
    for (const stop of data.stops) this.sections.get(stop.id)?.draw(stop, scene);
    this.panel.setDigits(digits);
    this.light();
    this.point();
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
    if (another) this.wanted = cell;
    this.point();
  }

  /** Brings the opened cell into sight, out of what is folded, too; a link's cell may be drawn only later. */
  private point(): void {
    const { wanted } = this;
    if (wanted === null || this.shown === null || this.element.hidden) return;
    this.wanted = null;
    if (!isShown(this.sets(), wanted))
      for (const one of this.sections.values()) if (one.reveal(wanted)) break;
    // What was unfolded just now has its place in the next frame.
    requestAnimationFrame(() => {
      this.light();
      const element = cellIn(this.sets(), wanted);
      if (same(wanted, this.opened)) pointTo(this.sets(), wanted);
      else if (element) alignMiddle(element);
    });
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
    this.opened = cell;
    this.handlers.open(cell);
  }

  private async copy(kind: "text" | "latex"): Promise<void> {
    const text = this.explanation?.[kind];
    if (text === undefined) return;
    const copied = await toClipboard(text);
    this.handlers.tell(copied ? "Copied the arithmetic." : "The browser does not allow copying here.");
  }

  private sets(): FigureSet[] {
    return [...this.sections.values()].flatMap((section) => section.sets());
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
      copy: (figure, form) => {
        if (this.shown) void toClipboard(written(figure, this.shown, form, this.digits));
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
  readonly element: HTMLElement;
  private readonly lines: FigureLines;
  private readonly making: FigureLines;
  private readonly fold: HTMLDetailsElement;
  private readonly foldName = h("summary");
  private folded: string[] = [];
  private scene: Parameters<FigureLines["draw"]>[1] | null = null;
  private readonly title = h("h4");
  private readonly prose = h("div", { class: "prose" });
  private readonly formulas = h("div", { class: "formulas" });
  private readonly formulasHere = h("div", { class: "formulas" });
  private words = "";

  constructor(id: string, handlers: StopHandlers) {
    this.lines = new FigureLines(`model-${id}`, handlers, "stop-matrices");
    this.making = new FigureLines(`model-${id}-making`, handlers, "stop-matrices");
    this.fold = h(
      "details",
      { class: "walk-making", ontoggle: () => this.unfold() && handlers.unfolded() },
      this.foldName,
      this.formulas,
      this.making.element,
    ) as HTMLDetailsElement;
    this.element = h(
      "section",
      { class: "walk-step" },
      this.title,
      this.prose,
      this.fold,
      this.formulasHere,
      this.lines.element,
    );
  }

  sets(): FigureSet[] {
    return [...this.lines.sets(), ...this.making.sets()];
  }

  /** Unfolds what hides a cell; false where nothing here does. */
  reveal(cell: CellRef): boolean {
    if (!this.folded.includes(cell.quantity)) return false;
    this.fold.open = true;
    return this.unfold();
  }

  /** The matrices in the fold are drawn when it is opened: they are many, and mostly not looked at. */
  private unfold(): boolean {
    if (!this.fold.open || !this.scene) return false;
    this.making.draw(this.folded, this.scene);
    return true;
  }

  draw(stop: Stop, scene: Parameters<FigureLines["draw"]>[1]): void {
    const making = makingOf(stop, scene.picture);
    const words = JSON.stringify([stop.title, stop.text, stop.formulas, making]);
    if (words !== this.words) {
      this.words = words;
      replace(this.title, inline(stop.title));
      replace(
        this.prose,
        stop.text.map((paragraph) => h("p", null, inline(paragraph))),
      );
      const formulas = stop.formulas.map(displayFormula);
      replace(this.formulas, making.length > 0 && formulas);
      replace(this.formulasHere, making.length === 0 && formulas);
      replace(
        this.foldName,
        `How they are made of the layer's input, in ${making.length} ${making.length === 1 ? "matrix" : "matrices"}`,
      );
      requestAnimationFrame(() => this.element.isConnected && markWideFormulas(this.element));
    }
    this.fold.hidden = making.length === 0;
    this.folded = making;
    this.scene = scene;
    this.unfold();
    const rest = new Set(making);
    this.lines.draw(
      stop.quantities.filter((name) => !rest.has(name)),
      scene,
    );
  }
}

/** What enters the dot product. */
const ENTERS = ["Q", "K", "V"];

/** What only leads to queries, keys and values: of a real model it is a dozen matrices, which can wait. */
function makingOf(stop: Stop, { quantities }: Picture): string[] {
  const names = stop.quantities.filter((name) => quantities.has(name));
  if (!ENTERS.every((name) => names.includes(name)) || names.length <= ENTERS.length) return [];
  return names.filter((name) => !ENTERS.includes(name));
}

/** A walkthrough as the page's pictures are: its tokens are the positions, and nothing can be edited. */
export function pictureOf(
  data: Pick<HeadWalk, "label" | "queries" | "keys" | "quantities" | "stops" | "notices">,
  buffers: WireBuffer[],
): Picture {
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
