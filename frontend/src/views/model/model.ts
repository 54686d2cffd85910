import { notice } from "../../draw/controls";
import { h, replace } from "../../draw/dom";
import { whenThemeChanges } from "../../draw/paint";
import { pageWidth, sightOf } from "../../draw/sight";
import { chooseHead, type ModelLook, onlyMoved, rerun } from "../../state/model";
import type { Model } from "../../wire/types";
import type { Part, PartNeeds } from "../part";
import { partFrame } from "../partframe";
import { alignTop } from "../walkthrough/aligning";
import { aboutModel } from "./about";
import { ModelAsking } from "./asking";
import { type Asked, modelForm } from "./form";
import { headView } from "./head";
import { nextTokens } from "./nexttokens";
import { modelOverview } from "./overview";
import { switchboard } from "./switchboard";
import { throughLayers } from "./through";
import { letGo } from "./words";
import { WorkedHead } from "./worked";
import { workingView } from "./zoom/working";
import { DeepZoom } from "./zoom/zoom";

const SAYS = [
  "What every head of a whole model does with a text. Nothing is estimated: the numbers are those that went into the " +
    "model's own attention, recomputed and compared with what its kernel returned.",
];

/** Any model on any text: its heads, one head, and that head's walkthrough. */
export function modelPart(needs: PartNeeds): Part {
  return new ModelPart(needs);
}

class ModelPart implements Part {
  readonly id = "model";
  readonly title = "A real model";
  readonly short = "Model";
  readonly element: HTMLElement;
  readonly heading: HTMLElement;
  private readonly asking: ModelAsking;
  private readonly form;
  private readonly overview;
  private readonly overviewTitle = h("h3", null, "All heads");
  private readonly headView = headView((part) => this.change(part));
  private readonly board = switchboard((changes) =>
    this.change({ changes: changes.length > 0 ? changes : undefined }),
  );
  private readonly taking = h("div", { class: "model-taking" }, h("h3", null, "Take something away"));
  private readonly through = throughLayers((part) => this.change(part));
  private readonly worked: WorkedHead;
  private readonly zoom: DeepZoom;
  private readonly working = workingView();
  private readonly about = h("div", { class: "model-about" });
  private readonly next = h("div", { class: "model-next", hidden: true });
  private readonly waiting = h("p", { class: "model-waiting", "aria-hidden": "true", hidden: true });
  private readonly headPlace = h("div");
  /** What stands beside all heads: the one that was chosen, or, where that takes the whole width, all in numbers. */
  private readonly chosen = h("div", { class: "model-chosen" });
  private readonly headTrouble = h("div");
  private readonly zoomTrouble = h("div");
  private readonly result: HTMLElement;
  private asked = false;
  private begun = false;
  /** The page was opened with an address that leads to a text. */
  private readonly led: boolean;
  /** The address led here, and what it leads to is not drawn yet. */
  private arrives = false;
  private drawnAbout: Model | null = null;

  constructor(private readonly needs: PartNeeds) {
    this.led = this.look !== undefined;
    this.form = modelForm((asked) => this.run(asked));
    this.asking = new ModelAsking(needs.host, {
      known: () => (this.asking.models.trouble ? needs.missing() : needs.appeared()),
      read: () => this.follow(),
      draw: () => this.draw(),
    });
    this.overview = modelOverview({
      chooseTower: (name) => this.chooseTower(name),
      chooseHead: (tower, layer, head) => this.choose(tower, layer, head),
      colour: (colour) => this.change({ colour }),
    });
    this.worked = new WorkedHead(
      needs,
      this.asking,
      (cell) => this.change({ number: cell ?? undefined }),
      () => this.change({ worked: !this.look?.worked }),
    );
    const settled = (zoom: ModelLook["zoom"]) => this.change({ zoom });
    this.zoom = new DeepZoom(
      needs.host,
      { change: (part) => this.change(part), settled, shown: needs.shown },
      needs.stop,
    );
    this.taking.append(this.board.element);
    this.headPlace.append(this.taking, this.through.element, this.worked.element);
    this.chosen.append(this.headTrouble, this.headView.element);
    this.result = h(
      "div",
      { class: "model-result", hidden: true },
      this.waiting,
      this.overviewTitle,
      this.overview.tools,
      h("div", { class: "model-pair" }, this.overview.element, this.chosen),
      this.overview.table,
      this.zoomTrouble,
      this.zoom.element,
      this.headPlace,
    );
    const start = h("div", { class: "model-start" }, this.form.element, this.about);
    const top = h("div", { class: "model-top" }, start, this.next);
    const frame = partFrame(
      ...[this.id, this.title, SAYS],
      ...[top, this.board.chips, this.working.element, this.result],
    );
    this.element = frame.element;
    this.element.classList.add("model-part");
    this.heading = frame.heading;
    this.listen();
  }

  /** A session that knows no models answers with a sentence that is of no interest: then there is no such part. */
  applies(): boolean {
    if (!this.asked) {
      this.asked = true;
      this.asking.models.want({ ask: "models" });
      // What an address leads to is asked for in the same turn.
      this.follow();
    }
    return this.asking.models.answer !== null;
  }

  ahead(): boolean {
    if (!this.applies()) return false;
    this.begun = true;
    this.follow();
    return true;
  }

  update(): void {
    // The pictures of the walkthrough change nothing here; the store tells what does.
    if (this.begun) return;
    this.begun = true;
    this.follow();
    // A page that is about the model alone begins at its own top.
    this.arrives =
      this.look !== undefined && !this.leadsToNumber() && this.element.closest(".about-model") === null;
    if (this.arrives) alignTop(this.element);
  }

  private listen(): void {
    const { store, host, stop } = this.needs;
    let last = store.page.value;
    const leave = [
      store.page.subscribe((page) => {
        const opened = page.cell !== null && page.cell !== last.cell;
        const other = page.model !== last.model || page.digits !== last.digits;
        const moved = other && page.digits === last.digits && onlyMoved(page.model, last.model);
        last = page;
        // There is one place for arithmetic: a cell of the page above takes it back.
        if (opened && page.model?.number) this.change({ number: undefined });
        else if (moved) this.zoom.update(this.asking.long, page.model, page.digits);
        else if (other) this.follow();
      }),
      host.status.subscribe((now) => {
        if (now !== "open") return;
        this.asking.retry();
        this.zoom.retry();
      }),
    ];
    stop.addEventListener("abort", () => {
      for (const run of leave) run();
      this.worked.leave();
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.worked.close();
    });
    whenThemeChanges(
      this.element,
      () => {
        for (const view of [this.overview, this.headView, this.through, this.zoom, this.working])
          view.redraw();
      },
      stop,
    );
  }

  private get look(): ModelLook | undefined {
    return this.needs.store.page.value.model;
  }

  private change(part: { [K in keyof ModelLook]?: ModelLook[K] | undefined }): void {
    const { look } = this;
    if (!look) return;
    const next = { ...look, ...part } as ModelLook;
    for (const key of Object.keys(next) as (keyof ModelLook)[]) if (next[key] === undefined) delete next[key];
    if (next.number && !look.number) this.needs.store.close();
    this.needs.store.lookAtModel(next);
  }

  private run({ model, text, decoder, generate }: Asked): void {
    const asked = {
      model,
      ...(text === undefined ? {} : { text }),
      ...(decoder === undefined ? {} : { decoder }),
    };
    const wanted = { ...asked, ...(generate === undefined ? {} : { generate }) };
    const { look } = this;
    const next = look
      ? rerun(look, { text: undefined, decoder: undefined, generate: undefined, ...wanted })
      : wanted;
    this.form.say(look ? letGo(look, next) : "");
    this.needs.store.lookAtModel(next);
  }

  private chooseTower(name: string): void {
    const tower = this.asking.model.answer?.data.towers.find((one) => one.name === name);
    const first = tower?.layers.find((layer) => layer.heads > 0);
    if (tower && first) this.choose(tower.name, first.number, 0);
  }

  private choose(tower: string, layer: number, head: number): void {
    if (!this.look) return;
    const named = chooseHead(this.look, tower, layer, head);
    if (this.asking.model.answer?.data.main === tower) delete named.tower;
    this.needs.store.lookAtModel(named);
  }

  /** Asks what is not known yet, and draws what is. */
  private follow(): void {
    const { look, asking } = this;
    const { digits } = this.needs.store.page.value;
    const ready = asking.want(look, digits);
    if (look && this.led && asking.unknown) this.zoom.ahead(look);
    else this.zoom.update(ready ? asking.long : null, look, digits);
    this.draw();
  }

  private draw(): void {
    const models = this.asking.models.answer?.data;
    if (!models) return;
    const { look } = this;
    const { model, head, long } = this.asking;
    const { digits } = this.needs.store.page.value;
    const busy = this.asking.busyText(look);
    this.form.update(models, look, busy, model.trouble);
    if (look && model.current && model.answer) this.form.read(look, model.answer.data);
    const stale = model.busy || model.trouble !== null;
    this.working.update(look ? model.working : null);
    if (!this.asking.unknown && long === null) this.needs.shown();
    const nothing = model.answer === null || look === undefined || model.working !== null;
    for (const place of [this.result, this.about]) {
      place.hidden = nothing;
      place.classList.toggle("stale", stale);
    }
    this.next.hidden ||= nothing;
    this.next.classList.toggle("stale", stale);
    this.result.setAttribute("aria-busy", String(model.busy));
    this.waiting.hidden = busy === "";
    if (this.waiting.textContent !== busy) replace(this.waiting, busy);
    this.worked.side(look);
    this.board.updateChips(look);
    if (!model.answer || !look) return;
    // While another text runs, what is shown belongs to the old one, and so do the words about it.
    if (!model.current) return;
    this.drawAbout(model.answer.data, look);
    nextTokens(this.next, model.answer.data, digits);
    this.overview.update(model.answer, look, digits);
    this.placeTable(long !== null);
    // Of a head by itself there is nothing to choose from.
    const { tools, element, table } = this.overview;
    for (const place of [this.overviewTitle, tools, element, table])
      place.hidden = headsOf(model.answer.data) === 1;
    this.result.classList.toggle("long", long !== null);
    this.zoom.element.hidden = long === null;
    if (long) {
      for (const place of [this.headPlace, this.headView.element, this.headTrouble]) place.hidden = true;
      replace(
        this.zoomTrouble,
        this.asking.number.trouble && notice({ kind: "error", text: this.asking.number.trouble.text }),
      );
      this.settle();
      return;
    }
    this.headTrouble.hidden = false;
    // Nothing can be taken away from a capture that was saved.
    this.taking.hidden = model.answer.data.fixed;
    this.board.update(look, head.answer?.data ?? null, this.headView.key);
    replace(this.headTrouble, head.trouble && notice({ kind: "error", text: head.trouble.text }));
    for (const place of [this.headPlace, this.headView.element]) place.hidden = head.answer === null;
    if (head.answer === null) return;
    this.headView.update(head.answer, model.answer.data, look, digits);
    this.through.update(this.asking.rollout, model.answer.data, look, digits);
    this.worked.draw(look, digits);
    this.settle();
  }

  private placeTable(beside: boolean): void {
    const { table } = this.overview;
    if (beside === this.chosen.contains(table)) return;
    if (beside) this.chosen.append(table);
    else this.zoomTrouble.before(table);
    table.toggleAttribute("open", beside && pageWidth(this.element) >= 1100);
  }

  /** Before the head was drawn the page may have been too short to begin here; nobody who has gone on is pulled back. */
  private settle(): void {
    if (!this.arrives) return;
    this.arrives = false;
    if (this.leadsToNumber()) return;
    const { top } = this.heading.getBoundingClientRect();
    const sight = sightOf(this.element);
    if (top > sight.top && top < sight.bottom) alignTop(this.element);
  }

  /** A link to a number leads to that number, wherever it is drawn. */
  private leadsToNumber(): boolean {
    const { look } = this;
    return look?.number != null && (look.worked || this.asking.long !== null);
  }

  private drawAbout(data: Model, look: ModelLook): void {
    if (this.drawnAbout === data) return;
    this.drawnAbout = data;
    replace(
      this.about,
      aboutModel(data, this.asking.titleOf(data.name), look.batch ?? 0, (batch) => this.change({ batch })),
    );
  }
}

function headsOf({ towers }: Model): number {
  return towers.flatMap(({ layers }) => layers).reduce((sum, { heads }) => sum + heads, 0);
}
