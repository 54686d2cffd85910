import type { ZoomPiece } from "../../../draw/zoompaint";
import { colourInto, type ZoomScale } from "../../../draw/zoomscale";
import { cellsOf, keyOf, MOST_TILES, overlap, Recent, SIDE, type TilePlace } from "../../../draw/zoomtiles";
import type { Region, Square } from "../../../draw/zoomview";
import type { Host } from "../../../hosts/host";
import { ConnectionLost } from "../../../hosts/host";
import type { ModelState, Pool } from "../../../wire/types";

/** How values become colours; `name` is another for every other one. */
export interface Style {
  name: string;
  scale: ZoomScale;
  colours: Uint32Array;
}

interface Tile {
  place: TilePlace;
  pool: Pool;
  cells: Region;
  values: Float32Array;
  rows: number;
  columns: number;
  piece: ZoomPiece | null;
  /** The style in which its picture is, or "" while it is none. */
  painted: string;
  job: { style: Style; image: ImageData; words: Uint32Array; at: number } | null;
}

/** So many are asked for at once: they are answered one after another, and what is wanted changes. */
const IN_FLIGHT = 2;
/** Milliseconds that pictures are painted at a stretch, so that no frame waits for them. */
const SLICE = 4;
/** Values that are coloured before the clock is looked at. */
const LUMP = 32 * SIDE;
/** Milliseconds until a question is asked again that was answered with “still reading”. */
const AGAIN = 400;

/** The tiles of one head: asked for, kept while there is room, and painted between frames. */
export class Tiles {
  /** What is wrong with the last one that could not be had; "" if nothing. */
  trouble = "";
  private readonly kept = new Recent<Tile>(MOST_TILES);
  private readonly failed = new Set<string>();
  private flying = new Set<string>();
  private queue: { place: TilePlace; pool: Pool; key: string }[] = [];
  private state: ModelState | null = null;
  private square: Square = { rows: 0, columns: 0 };
  private painting: ReturnType<typeof setTimeout> | undefined;
  private paintable: Tile[] = [];
  private style: Style | null = null;

  constructor(
    private readonly host: Host,
    private readonly changed: () => void,
  ) {}

  /** Another head, or another text: what was asked for before is of no use. */
  begin(state: ModelState | null, square: Square): void {
    this.state = state;
    this.square = square;
    this.kept.clear();
    this.failed.clear();
    this.flying = new Set();
    this.queue = [];
    this.paintable = [];
    this.trouble = "";
  }

  /** What is wanted now, the most wanted first; what was wanted before and is not there yet is forgotten. */
  want(places: TilePlace[], pool: Pool): void {
    this.queue = places.flatMap((place) => {
      const key = `${pool}/${keyOf(place)}`;
      return this.kept.has(key) || this.failed.has(key) ? [] : { place, pool, key };
    });
    this.send();
  }

  /** Whether something is on its way. */
  get busy(): boolean {
    return this.flying.size > 0 || this.queue.length > 0;
  }

  /** The pictures of all tiles there are in `region` with at least `step` cells a value, the coarsest first. */
  pieces(region: Region, step: number, pool: Pool, style: Style): ZoomPiece[] {
    this.style = style;
    const here = this.kept
      .values()
      .filter((tile) => tile.pool === pool && tile.place.step >= step && overlap(tile.cells, region))
      .sort((a, b) => b.place.step - a.place.step);
    const waiting = here.filter((tile) => tile.painted !== style.name);
    // The finest are painted first: what lies under them need not be.
    this.paintable = waiting.reverse();
    if (waiting.length > 0) this.paintSoon();
    for (const tile of here) this.kept.get(`${pool}/${keyOf(tile.place)}`);
    return here.flatMap((tile) => (tile.painted === style.name && tile.piece ? tile.piece : []));
  }

  /** The value that stands for a cell in a tile of this step: −1 where it is hidden, null where the tile is not there. */
  value(row: number, column: number, step: number, pool: Pool): number | null {
    const side = SIDE * step;
    const place = { step, row: Math.floor(row / side) * side, column: Math.floor(column / side) * side };
    const tile = this.kept.get(`${pool}/${keyOf(place)}`);
    if (!tile) return null;
    const at =
      Math.floor((row - place.row) / step) * tile.columns + Math.floor((column - place.column) / step);
    return tile.values[at] ?? null;
  }

  /** Asks again for what has no answer because the session went away. */
  retry(): void {
    this.flying = new Set();
    this.send();
  }

  private send(): void {
    while (this.state && this.flying.size < IN_FLIGHT) {
      const next = this.queue.find(({ key }) => !this.flying.has(key));
      if (!next) return;
      void this.ask(next.place, next.pool, next.key, this.state);
    }
  }

  private async ask(place: TilePlace, pool: Pool, key: string, state: ModelState): Promise<void> {
    const { flying } = this;
    flying.add(key);
    const { rows, columns } = cellsOf(place, this.square);
    const { step } = place;
    let again = false;
    try {
      const [reply] = await this.host.ask([{ ask: "tile", state, rows, columns, step, pool }]);
      if (flying !== this.flying) return;
      const values = reply?.data.kind === "tile" ? reply.buffers[reply.data.values] : undefined;
      if (values instanceof Float32Array) this.keep(key, place, pool, values);
      else if (reply?.data.kind === "working") again = true;
      else
        this.fail(key, reply?.data.kind === "error" ? reply.data.message : "A part of the map did not come.");
    } catch (failure) {
      if (flying !== this.flying) return;
      // A lost connection has its own banner, and everything is asked again when it is back.
      if (failure instanceof ConnectionLost) return;
      this.fail(key, (failure as Error).message);
    }
    if (again) await new Promise((done) => setTimeout(done, AGAIN));
    flying.delete(key);
    if (flying !== this.flying) return;
    this.queue = this.queue.filter((one) => again || one.key !== key);
    this.send();
    this.changed();
  }

  private fail(key: string, sentence: string): void {
    this.failed.add(key);
    this.trouble = sentence;
  }

  private keep(key: string, place: TilePlace, pool: Pool, values: Float32Array): void {
    const cells = cellsOf(place, this.square);
    const count = ([from, to]: [number, number]) => Math.ceil((to - from) / place.step);
    const [rows, columns] = [count(cells.rows), count(cells.columns)];
    if (values.length !== rows * columns) {
      this.fail(key, "A part of the map came in another size.");
      return;
    }
    this.trouble = "";
    const tile: Tile = { place, pool, cells, values, rows, columns, piece: null, painted: "", job: null };
    this.kept.set(key, tile);
    // Its picture is in the next frame, not in the one after it.
    this.paintable.unshift(tile);
    this.paint();
  }

  private paintSoon(): void {
    this.painting ??= setTimeout(() => {
      this.painting = undefined;
      this.paint();
    }, 0);
  }

  /** Paints for a few milliseconds, and goes on after the next frame. */
  private paint(): void {
    const { style } = this;
    const ends = performance.now() + SLICE;
    let done = false;
    while (style && performance.now() < ends) {
      const tile = this.paintable.find((one) => one.painted !== style.name);
      if (!tile) break;
      done = paintOn(tile, style) || done;
    }
    if (style && this.paintable.some((one) => one.painted !== style.name)) this.paintSoon();
    if (done) this.changed();
  }
}

/** Colours one more lump of a tile; true when its picture is finished, or there can be none. */
function paintOn(tile: Tile, style: Style): boolean {
  if (tile.job?.style.name !== style.name) {
    const image = new ImageData(tile.columns, tile.rows);
    tile.job = { style, image, words: new Uint32Array(image.data.buffer), at: 0 };
  }
  const { job, values } = tile;
  const to = Math.min(values.length, job.at + LUMP);
  colourInto(job.words, values, style.scale, style.colours, job.at, to);
  job.at = to;
  if (to < values.length) return false;
  tile.piece ??= pieceOf(tile);
  tile.piece.canvas.getContext?.("2d")?.putImageData(job.image, 0, 0);
  tile.painted = style.name;
  tile.job = null;
  return true;
}

function pieceOf({ place, values, rows, columns }: Tile): ZoomPiece {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  return {
    canvas,
    row: place.row,
    column: place.column,
    rows: rows * place.step,
    columns: columns * place.step,
    hides: values.includes(-1),
  };
}
