import { notice } from "../../../draw/controls";
import { createDistances } from "../../../draw/distances";
import { h, replace } from "../../../draw/dom";
import type { MapLabel, MapPlace } from "../../../draw/mapmodel";
import { createMinimap } from "../../../draw/minimap";
import type { Digits } from "../../../draw/numbers";
import { themeOf } from "../../../draw/paint";
import { sightOf } from "../../../draw/sight";
import { NO_MAP, ZoomMap } from "../../../draw/zoommap";
import { tilesIn } from "../../../draw/zoomtiles";
import { type Plot, type Sight, seen } from "../../../draw/zoomview";
import type { Host } from "../../../hosts/host";
import { headOf, type ModelLook } from "../../../state/model";
import { same } from "../../../state/page";
import type { Model, ModelState } from "../../../wire/types";
import { alignMiddle } from "../../walkthrough/aligning";
import { type Answer, Question } from "../question";
import { keysOf, labelsOf, towerOf } from "../words";
import { aboutHead } from "./abouthead";
import { howToMove, zoomBody, zoomLegend } from "./layout";
import { linksTable } from "./links";
import { Looking } from "./looking";
import { ZoomPicture } from "./picture";
import { zoomReadout } from "./readout";
import { type Axis, ledTo, textPane } from "./textpane";
import { Tiles } from "./tiles";
import { choiceOf, type ZoomTools, zoomTools } from "./tools";

export interface DeepZoomHandlers {
  change(part: { [K in keyof ModelLook]?: ModelLook[K] | undefined }): void;
  /** Where the map stands now, for the address. */
  settled(zoom: ModelLook["zoom"]): void;
  /** The first map is on the screen, or there is none. */
  shown(): void;
}

/** Milliseconds of rest after which the map asks for what it lacks, and writes where it stands. */
const REST = 90;
const WRITE = 350;
/** From a jump on, a cell has at least so many pixels. */
const JUMP = 18;

/** One head of a long text: its whole map down to every single number. */
export class DeepZoom {
  readonly element: HTMLElement;
  private readonly question: Question<"zoom">;
  private readonly linksAsked: Question<"links">;
  private readonly tiles: Tiles;
  private readonly looking: Looking;
  private readonly map: ZoomMap;
  private readonly readout = zoomReadout((place) => this.jump(place));
  private readonly pane = textPane((axis, at) => this.lead(axis, at));
  private readonly links = linksTable(
    () => this.askLinks(),
    (place) => this.jumpInSight(place),
  );
  private readonly distances = createDistances();
  private readonly minimap = createMinimap((row, column) =>
    this.map.look({ row, column }, this.map.sight.size),
  );
  private readonly about = aboutHead();
  private readonly trouble = h("div");
  private readonly tools: ZoomTools;
  private readonly legend = h("div", { class: "map-legend" });
  private readonly body: HTMLElement;
  private shown: { model: Model; look: ModelLook; digits: Digits } | null = null;
  private picture: ZoomPicture | null = null;
  private labels: { rows: MapLabel[]; columns: MapLabel[] } = { rows: [], columns: [] };
  private state: ModelState | null = null;
  private drawn: Answer<"zoom"> | null = null;
  private current: { place: MapPlace; spoken: boolean } | null = null;
  private resting: ReturnType<typeof setTimeout> | undefined;
  private writing: ReturnType<typeof setTimeout> | undefined;
  /** What was written into the address last, or came from it. */
  private written: ModelLook["zoom"];
  private begun = false;
  /** Whether the map of this head is on the screen; what stands around it is drawn from then on. */
  private seen = false;

  constructor(
    host: Host,
    private readonly handlers: DeepZoomHandlers,
    stop: AbortSignal,
  ) {
    this.question = new Question(host, "zoom", () => this.draw());
    this.linksAsked = new Question(host, "links", () => this.drawLinks());
    this.tiles = new Tiles(host, () => this.fresh());
    this.looking = new Looking(host, () => this.tell());
    const says = howToMove();
    this.map = new ZoomMap(
      NO_MAP,
      {
        moved: (sight, plot) => this.moved(sight, plot),
        point: (place, spoken) => this.point(place, spoken),
        open: ({ row, column }) =>
          this.handlers.change({ number: { quantity: "weights", index: [row, column] } }),
      },
      says.id,
      stop,
    );
    this.tools = zoomTools(handlers.change, (factor) =>
      factor === null ? this.map.look(null, 1) : this.map.zoom(factor),
    );
    const { about, map, readout, legend, tools, minimap, pane, links, distances } = this;
    this.body = zoomBody({
      tools: tools.element,
      main: [about.axes, map.element, readout.element, legend, says],
      aside: [minimap.element, pane.element],
      below: [links.element, distances.element],
      facts: about.facts,
    });
    this.element = h("div", { class: "stack deep-zoom" }, about.element, this.trouble, this.body);
    stop.addEventListener("abort", () => {
      clearTimeout(this.resting);
      clearTimeout(this.writing);
    });
  }

  /** Asks for the map before it is known that the text is long, so that an address leads to it in one turn. */
  ahead(look: ModelLook): void {
    this.question.want({ ask: "zoom", state: headOf(look) });
  }

  /** Another head, another look at it, or, with null, none. */
  update(model: Model | null, look: ModelLook | undefined, digits: Digits): void {
    if (!model || !look) {
      this.shown = null;
      this.question.want(null);
      this.linksAsked.want(null);
      return;
    }
    const before = this.shown;
    this.shown = { model, look, digits };
    const state = headOf(look);
    if (!same(state, this.state) || before?.model !== model) {
      this.state = state;
      this.picture = null;
      this.tiles.begin(null, { rows: 0, columns: 0 });
      this.looking.begin(null);
    }
    this.question.want({ ask: "zoom", state });
    if (!this.begun || !same(look.zoom, this.written)) this.place(look.zoom);
    this.draw();
  }

  /** Asks again for what has no answer because the session went away. */
  retry(): void {
    this.question.retry();
    this.linksAsked.retry();
    this.tiles.retry();
    this.looking.retry();
  }

  redraw(): void {
    this.map.soon();
  }

  /** A place from an address. */
  place(zoom: ModelLook["zoom"]): void {
    this.begun = true;
    this.written = zoom;
    clearTimeout(this.writing);
    this.map.byHand = false;
    this.map.arrive(zoom ?? null, zoom?.size ?? 1);
    if (zoom) this.map.cursor = { row: zoom.row, column: zoom.column };
  }

  private draw(): void {
    const { question, shown } = this;
    if (!shown) return;
    const says = question.trouble?.text ?? "";
    replace(this.trouble, says !== "" && notice({ kind: "error", text: says }));
    if (says !== "") this.handlers.shown();
    const { answer } = question;
    this.element.classList.toggle("stale", question.busy && answer !== null);
    this.body.hidden = answer === null;
    if (!answer || !question.current || !this.state) return;
    this.about.update(answer.data, shown.digits);
    this.distances.update({ edges: answer.data.edges, shares: answer.data.histogram, digits: shown.digits });
    this.drawMap(answer);
    if (this.drawn !== answer) this.begin(answer, this.state);
    this.drawLinks();
    this.tell();
  }

  /** The first time that this head is drawn. */
  private begin(answer: Answer<"zoom">, state: ModelState): void {
    const { queries, keys } = answer.data;
    const { look } = this.shown!;
    if (this.drawn === null && !look.zoom)
      this.map.cursor = { row: Math.floor(queries / 2), column: Math.floor(keys / 2) };
    this.drawn = answer;
    this.tiles.begin(state, { rows: queries, columns: keys });
    this.looking.begin(state);
    this.current = null;
    this.seen = false;
    later(() => {
      this.seen = true;
      this.map.soon();
      this.askLinks();
      this.handlers.shown();
    });
    this.map.soon();
  }

  private drawMap(answer: Answer<"zoom">): void {
    const { look, model, digits } = this.shown!;
    const { data } = answer;
    const choice = choiceOf(look);
    this.tools.set(choice);
    if (!this.picture?.is(answer, choice)) this.picture = new ZoomPicture(answer, choice, this.tiles);
    const { picture } = this;
    const tower = towerOf(model, look.tower);
    if (this.drawn !== answer && tower) {
      const { queries } = tower;
      const keys = keysOf(tower);
      const rows = labelsOf(queries);
      this.labels = { rows, columns: keys === queries ? rows : labelsOf(keys) };
      const labels = { row: rows, column: this.labels.columns };
      later(() => this.pane.update(queries, keys, labels));
    }
    this.readout.update(this.labels.rows, this.labels.columns, digits);
    replace(this.legend, zoomLegend(picture.scale, choice.pool, picture.values));
    const { number } = look;
    const [row, column] = number?.quantity === "weights" ? number.index : [];
    this.map.update({
      name: `weights of ${data.label}: ${data.queries} queries down, ${data.keys} keys across`,
      square: picture.square,
      labels: {
        rows: { name: data.rows, labels: this.labels.rows },
        columns: { name: data.columns, labels: this.labels.columns },
      },
      open: row === undefined || column === undefined ? null : { row, column },
      weight: (at, key) => this.tiles.value(at, key, 1, choice.pool),
      digits,
      pieces: (sight, plot, theme) => picture.pieces(sight, plot, theme),
    });
  }

  private drawLinks(): void {
    const { shown, labels } = this;
    if (shown) this.links.update(this.linksAsked, labels.rows, labels.columns, shown.digits);
  }

  private askLinks(): void {
    if (this.state) this.linksAsked.want({ ask: "links", state: this.state, ...this.links.wanted });
    this.drawLinks();
  }

  /** While the map moves nothing is asked; when it rests, what it lacks. */
  private moved(sight: Sight, plot: Plot): void {
    const { picture, map } = this;
    if (!picture) return;
    if (this.seen) this.minimap.draw(picture.small(themeOf(this.element)), picture.square, sight, plot);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.want(), REST);
    if (map.byHand) this.writeSoon();
  }

  /** Where the map stands is written when the move is done; where an address put it stands there already. */
  private writeSoon(): void {
    const { map } = this;
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      if (map.held) return this.writeSoon();
      map.byHand = false;
      const here = map.place ?? undefined;
      if (same(rounded(here), rounded(this.written))) return;
      this.written = here;
      this.handlers.settled(here);
    }, WRITE);
  }

  private want(): void {
    const { picture, map } = this;
    if (!picture || !this.shown) return;
    const step = picture.step(map.sight);
    const region = seen(map.sight, picture.square, map.plot);
    this.tiles.want(step === 0 ? [] : tilesIn(region, step), picture.choice.pool);
  }

  /** A tile has come, or is painted. */
  private fresh(): void {
    this.map.soon();
    this.tell();
  }

  private point(place: MapPlace | null, spoken: boolean): void {
    if (!place) return;
    this.current = { place, spoken };
    this.looking.want(place);
    this.tell();
  }

  private tell(): void {
    const { picture, looking, map } = this;
    if (!picture || !this.drawn) return;
    if (!this.current) this.point(map.cursor, false);
    const { place, spoken } = this.current!;
    const look = looking.of(place);
    const says = looking.trouble || this.tiles.trouble;
    this.readout.tell(place, look, picture.bin(place.row, place.column, map.sight), says);
    if (spoken && look) this.readout.speak(place, look);
    const { cursor } = map;
    this.readout.strongest(cursor, looking.of(cursor));
    this.pane.mark(cursor.row, cursor.column);
  }

  private jump(place: MapPlace): void {
    this.map.show(place, Math.max(JUMP, this.map.sight.size));
  }

  /** To a cell, and to the map, where whoever asked for it sees nothing of it. */
  private jumpInSight(place: MapPlace): void {
    const { top, bottom } = this.map.element.getBoundingClientRect();
    const middle = (top + bottom) / 2;
    this.jump(place);
    const sight = sightOf(this.map.element);
    if (middle < sight.top || middle > sight.bottom) alignMiddle(this.map.element);
  }

  /** To the row or the column of a token. */
  private lead(axis: Axis, at: number): void {
    if (this.picture) this.jump(ledTo(axis, at, this.map.cursor, this.picture.square));
  }
}

/** After the next frame, which has the map in it. */
function later(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run));
}

/** Two places that an address writes alike. */
function rounded(place: ModelLook["zoom"]) {
  return place && { ...place, size: Number(place.size.toPrecision(4)) };
}
