/**
 * The deep zoom: a square of any size, from the whole of it down to single cells with their numbers. It is one picture as
 * large as its frame, drawn again only when something changed, and never measured while it is drawn.
 */
import { h, uniqueId } from "./dom";
import type { MapPlace } from "./mapmodel";
import { lettersOf, sized, type Theme, themeOf, whenLettersCome } from "./paint";
import { keyed } from "./zoomkeys";
import { paintZoom, type ZoomScene } from "./zoompaint";
import { Gestures } from "./zoompointer";
import {
  around,
  isWhole,
  kept,
  middle,
  type Plot,
  panned,
  placeAt,
  type Sight,
  whole,
  zoomed,
} from "./zoomview";

/** What the map is drawn from, apart from where it stands. */
export type ZoomMapModel = Pick<ZoomScene, "square" | "labels" | "open" | "weight" | "digits"> & {
  /** "weights of L3H1" */
  name: string;
  /** The pieces that there are for what is seen, from the coarsest to the finest. */
  pieces(sight: Sight, plot: Plot, theme: Theme): ZoomScene["pieces"];
};

export interface ZoomMapHandlers {
  /** Another part of it is seen; called while it is drawn. */
  moved(sight: Sight, plot: Plot): void;
  /** The current cell is another: under the pointer, or the cursor's. */
  point(place: MapPlace | null, spoken: boolean): void;
  open(place: MapPlace): void;
}

/** A click opens a cell from this size on; below, it only moves the cursor there. */
const POINTED = 4;

/** A frame less wide than this has less room for labels. */
const NARROW = 560;

/** Before there is a map. */
export const NO_MAP: ZoomMapModel = {
  ...{ name: "", square: { rows: 1, columns: 1 }, open: null, digits: 3 },
  labels: { rows: { name: "", labels: [] }, columns: { name: "", labels: [] } },
  weight: () => null,
  pieces: () => [],
};

export class ZoomMap {
  readonly element: HTMLElement;
  /** The cell that the arrow keys move. */
  cursor: MapPlace = { row: 0, column: 0 };
  sight: Sight = { row: 0, column: 0, size: 1 };
  plot: Plot = { width: 0, height: 0 };
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly frame: HTMLElement;
  private readonly gestures: Gestures;
  private pointed: MapPlace | null = null;
  private left = 60;
  private top = 60;
  /** Whether the person has moved it since this was last set to false. */
  byHand = false;
  private waiting = false;
  /** The width and the height of the frame, as they were told: asking would lay the page out once more. */
  private room: [number, number] = [0, 0];
  /** What is to be seen as soon as there is room; null for the whole. */
  private wanted: { place: MapPlace; size: number } | null = null;

  constructor(
    private model: ZoomMapModel,
    private readonly handlers: ZoomMapHandlers,
    describedBy: string,
    stop: AbortSignal,
  ) {
    this.frame = h(
      "div",
      {
        class: "zoom-frame",
        id: uniqueId("zoom"),
        role: "application",
        "aria-roledescription": "map",
        "aria-describedby": describedBy,
        tabindex: "0",
        onkeydown: (event) => this.onKey(event),
        onfocus: () => this.point(null, true),
        onblur: () => this.soon(),
      },
      this.canvas,
    );
    const moves = {
      whole: () => isWhole(this.sight, this.model.square, this.plot),
      pan: (dx: number, dy: number) => {
        this.byHand = true;
        this.set(panned(this.sight, dx, dy, this.model.square, this.plot));
      },
      zoom: (factor: number, x: number, y: number) => this.zoomAt(factor, x - this.left, y - this.top),
      point: (x: number, y: number) => this.point(this.at(x, y), false),
      leave: () => this.point(null, false),
      click: (x: number, y: number) => this.click(x, y),
      open: () => handlers.open(this.cursor),
    };
    this.gestures = new Gestures(this.frame, moves, stop);
    this.element = h("div", { class: "zoom-map" }, this.frame);
    if (typeof ResizeObserver !== "undefined")
      new ResizeObserver(() => {
        this.room = [this.frame.clientWidth, this.frame.clientHeight];
        this.fit();
        this.paint(); // in this frame, which is laid out already
      }).observe(this.frame);
    whenLettersCome(() => this.soon());
  }

  update(model: ZoomMapModel): void {
    const before = this.model.square;
    this.model = model;
    this.frame.setAttribute("aria-label", model.name);
    const { rows, columns } = model.square;
    const inside = (at: number, count: number) => Math.max(0, Math.min(count - 1, at));
    this.cursor = { row: inside(this.cursor.row, rows), column: inside(this.cursor.column, columns) };
    if (before.rows !== rows || before.columns !== columns) this.fit();
    this.soon();
  }

  /** Moves to a cell, in cells of at least `size` pixels or, without one, as large as they are. */
  show(place: MapPlace, size = this.sight.size): void {
    this.cursor = place;
    this.pointed = null;
    this.look(place, size);
    this.handlers.point(place, true);
  }

  /** What is seen, without moving the cursor; null for the whole. */
  look(place: MapPlace | null, size: number): void {
    this.byHand = true;
    this.arrive(place, size);
  }

  /** The same from an address. */
  arrive(place: MapPlace | null, size: number): void {
    const { square } = this.model;
    this.wanted = place && { place, size };
    if (this.plot.width <= 0) return;
    this.set(place ? around(place, size, square, this.plot) : whole(square, this.plot));
  }

  /** The cell in the middle and the pixels of a cell, or null where the whole is seen. */
  get place(): (MapPlace & { size: number }) | null {
    const { square } = this.model;
    if (this.plot.width <= 0)
      return this.wanted === null ? null : { ...this.wanted.place, size: this.wanted.size };
    if (isWhole(this.sight, square, this.plot)) return null;
    return { ...middle(this.sight, square, this.plot), size: this.sight.size };
  }

  /** Larger or smaller around the cursor, where it is seen, or around the middle. */
  zoom(factor: number): void {
    const { sight, plot, cursor } = this;
    const [x, y] = [
      (cursor.column + 0.5 - sight.column) * sight.size,
      (cursor.row + 0.5 - sight.row) * sight.size,
    ];
    const inside = x >= 0 && y >= 0 && x <= plot.width && y <= plot.height;
    this.zoomAt(factor, inside ? x : plot.width / 2, inside ? y : plot.height / 2);
  }

  /** Whether a pointer holds it. */
  get held(): boolean {
    return this.gestures.held;
  }

  soon(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  /** The room there is. What was in the middle stays there. */
  private fit(): void {
    const { square } = this.model;
    const [width, height] = this.room;
    if (width <= 0 || height <= 0) return;
    const { place } = this;
    this.left = width < NARROW ? 76 : 124;
    this.top = width < NARROW ? 72 : 92;
    this.plot = { width: Math.max(1, width - this.left), height: Math.max(1, height - this.top) };
    this.wanted = null;
    this.set(place ? around(place, place.size, square, this.plot) : whole(square, this.plot));
  }

  private set(sight: Sight): void {
    this.sight = kept(sight, this.model.square, this.plot);
    // At the whole a finger scrolls the page; nearer, it moves the map.
    const touch = isWhole(this.sight, this.model.square, this.plot) ? "pan-y" : "none";
    if (this.frame.style.touchAction !== touch) this.frame.style.touchAction = touch;
    this.soon();
  }

  private zoomAt(factor: number, x: number, y: number): void {
    this.byHand = true;
    this.set(zoomed(this.sight, factor, x, y, this.model.square, this.plot));
  }

  private at(x: number, y: number): MapPlace | null {
    return placeAt(this.sight, x - this.left, y - this.top, this.model.square);
  }

  private point(place: MapPlace | null, spoken: boolean): void {
    const before = this.pointed;
    if (!spoken && place?.row === before?.row && place?.column === before?.column) return;
    this.pointed = place;
    this.handlers.point(place ?? this.cursor, spoken);
    this.soon();
  }

  /** Moves the cursor there; true where the cell is large enough to be meant. */
  private click(x: number, y: number): boolean {
    const place = this.at(x, y);
    if (!place) return false;
    this.cursor = place;
    this.pointed = null;
    this.handlers.point(place, false);
    this.soon();
    return this.sight.size >= POINTED;
  }

  private onKey(event: KeyboardEvent): void {
    const { square } = this.model;
    if ((event.key === "Enter" || event.key === " ") && !event.ctrlKey && !event.altKey && !event.metaKey) {
      this.handlers.open(this.cursor);
    } else {
      const next = keyed(event, this.sight, this.cursor, square, this.plot);
      if (!next) return;
      const moved = next.cursor.row !== this.cursor.row || next.cursor.column !== this.cursor.column;
      this.cursor = next.cursor;
      this.byHand = true;
      this.set(next.sight);
      if (moved) this.point(null, true);
    }
    event.preventDefault();
  }

  private paint(): void {
    const { model, plot, left, top, sight } = this;
    const [width, height] = [plot.width + left, plot.height + top];
    if (plot.width <= 0) return;
    this.handlers.moved(sight, plot);
    const made = sized(this.canvas, width, height);
    if (!made) return;
    const theme = themeOf(this.canvas);
    const cursor = this.pointed ?? this.cursor;
    const { square, labels, open, digits } = model;
    const pieces = model.pieces(sight, plot, theme);
    const weight = model.weight;
    const scene = { square, sight, width, height, left, top, pieces, labels, cursor, open, weight, digits };
    paintZoom({ ...made, theme, letters: lettersOf(this.canvas) }, scene);
  }
}
