import { smaller } from "../../../draw/minimap";
import type { Theme } from "../../../draw/paint";
import type { ZoomPiece } from "../../../draw/zoompaint";
import { colourWords, pointsOf, scaleFor, type ZoomScale } from "../../../draw/zoomscale";
import { binAt, binOf, stepFor } from "../../../draw/zoomtiles";
import { type Plot, type Sight, type Square, seen } from "../../../draw/zoomview";
import type { Pool } from "../../../wire/types";
import type { Answer } from "../question";
import type { Bin } from "./readout";
import type { Style, Tiles } from "./tiles";

/** How the map is coloured. */
export interface Choice {
  pool: Pool;
  shade: "linear" | "log";
  ends: "one" | "largest";
}

interface Painted {
  theme: Theme;
  style: Style;
  piece: ZoomPiece;
  /** Of the small map; made when it is wanted. */
  small: HTMLCanvasElement | null;
}

/** The longer side of the small map, in points. */
const SMALL = 168;

/** One head's map: the overview that is there at once, and over it the tiles that there are. */
export class ZoomPicture {
  readonly square: Square;
  readonly scale: ZoomScale;
  readonly values: Float32Array;
  private readonly rows: number;
  private readonly columns: number;
  private made: Painted | null = null;

  constructor(
    private readonly answer: Answer<"zoom">,
    readonly choice: Choice,
    private readonly tiles: Tiles,
  ) {
    const { data } = answer;
    this.square = { rows: data.queries, columns: data.keys };
    const buffer = answer.buffers[data[choice.pool]];
    this.values = buffer instanceof Float32Array ? buffer : new Float32Array(0);
    [this.rows, this.columns] = shapeOf(this.values.length, this.square);
    const end = choice.ends === "largest" ? data.tops[choice.pool] : 1;
    this.scale = scaleFor(choice.shade, this.values, end);
  }

  is(answer: Answer<"zoom">, { pool, shade, ends }: Choice): boolean {
    const { choice } = this;
    return answer === this.answer && pool === choice.pool && shade === choice.shade && ends === choice.ends;
  }

  /** How many cells a value of the tiles spans that are fine enough here; 0 where the overview is. */
  step({ size }: Sight): number {
    return stepFor(size, Math.max(this.square.rows / this.rows, this.square.columns / this.columns));
  }

  pieces(sight: Sight, plot: Plot, theme: Theme): ZoomPiece[] {
    const { piece, style } = this.paint(theme);
    const step = this.step(sight);
    // Tiles that are finer than the screen would be drawn with points left out: the overview has them all in it.
    if (step === 0) return [piece];
    const region = seen(sight, this.square, plot);
    return [piece, ...this.tiles.pieces(region, step, this.choice.pool, style)];
  }

  small(theme: Theme): HTMLCanvasElement {
    const made = this.paint(theme);
    if (made.small === null) {
      const less = smaller(this.values, this.rows, this.columns, SMALL, this.choice.pool);
      made.small = pointsOf(less.values, less.rows, less.columns, this.scale, made.style.colours);
    }
    return made.small;
  }

  /** What the colour of a cell shows: the finest value there is that is drawn for it. */
  bin(row: number, column: number, sight: Sight): Bin {
    const { square, choice } = this;
    const span = (at: number, count: number, step: number) =>
      Math.min(count, (Math.floor(at / step) + 1) * step) - Math.floor(at / step) * step;
    const finest = this.step(sight);
    const most = finest === 0 ? 0 : Math.max(square.rows, square.columns);
    for (let step = finest; step < most; step *= 2) {
      const value = this.tiles.value(row, column, step, choice.pool);
      if (value !== null)
        return {
          rows: span(row, square.rows, step),
          columns: span(column, square.columns, step),
          value,
          pool: choice.pool,
        };
    }
    const [i, j] = [binAt(row, this.rows, square.rows), binAt(column, this.columns, square.columns)];
    const size = ([from, to]: [number, number]) => to - from;
    return {
      rows: size(binOf(i, this.rows, square.rows)),
      columns: size(binOf(j, this.columns, square.columns)),
      value: this.values[i * this.columns + j] ?? 0,
      pool: choice.pool,
    };
  }

  private paint(theme: Theme): Painted {
    if (this.made?.theme === theme) return this.made;
    const { rows, columns, values, square, choice, scale } = this;
    const colours = colourWords(theme);
    const name = JSON.stringify([theme, choice, scale]);
    const canvas = pointsOf(values, rows, columns, scale, colours);
    this.made = {
      theme,
      style: { name, scale, colours },
      small: null,
      piece: { canvas, row: 0, column: 0, ...square, hides: values.includes(-1) },
    };
    return this.made;
  }
}

/** The rows and columns of an overview: as many as there are cells on a side, but no more than so many on each. */
function shapeOf(length: number, { rows, columns }: Square): [number, number] {
  if (length === 0) return [1, 1];
  const short = Math.min(rows, columns);
  if (short * short > length) {
    const side = Math.round(Math.sqrt(length));
    return [side, side];
  }
  const long = Math.round(length / short);
  return rows <= columns ? [short, long] : [long, short];
}
