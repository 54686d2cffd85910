/** Paints the part of a map that the deep zoom shows: pieces of any coarseness, marks, numbers, and what stands beside. */
import { type LabelledMap, paintLabels } from "./maplabels";
import type { MapPlace } from "./mapmodel";
import type { Brush } from "./mappaint";
import { type Digits, formatNumber } from "./numbers";
import { hatching, THEME } from "./paint";
import { paintTicks } from "./zoomticks";
import { type Region, type Sight, type Square, seen } from "./zoomview";

/** Values of a piece of the map as a picture with a point for each; of a whole number of values or of a whole map. */
export interface ZoomPiece {
  canvas: HTMLCanvasElement;
  /** Its first cell, and how many cells its picture spans. */
  row: number;
  column: number;
  rows: number;
  columns: number;
  /** Whether some of it is hidden, which its picture leaves transparent. */
  hides: boolean;
}

export interface ZoomScene {
  square: Square;
  sight: Sight;
  /** The whole picture, and the room for labels in it. */
  width: number;
  height: number;
  left: number;
  top: number;
  /** From the coarsest to the finest. */
  pieces: readonly ZoomPiece[];
  labels: LabelledMap;
  cursor: MapPlace | null;
  /** The cell whose arithmetic is open. */
  open: MapPlace | null;
  /** The weight of one cell; null where it is not known yet, −1 where it is hidden. */
  weight(row: number, column: number): number | null;
  digits: Digits;
}

/** From here on the tokens have room beside their rows and columns. */
export const NAMED = 14;
/** From here on a cell has room for its number. */
const NUMBERED = 44;
/** From here on cells bear lines between them. */
const LINED = 10;

export function paintZoom(brush: Brush, scene: ZoomScene): void {
  const { context, theme } = brush;
  const { width, height, left, top, square, sight } = scene;
  const plot = { width: width - left, height: height - top };
  const region = seen(sight, square, plot);
  context.fillStyle = THEME[theme].paper;
  context.fillRect(0, 0, width, height);
  context.save();
  context.beginPath();
  const [right, bottom] = [x(scene, square.columns), y(scene, square.rows)];
  context.rect(left, top, Math.min(width, right) - left, Math.min(height, bottom) - top);
  context.clip();
  context.imageSmoothingEnabled = false;
  const pattern = hatching(context, theme, brush.ratio);
  for (const piece of scene.pieces) paintPiece(brush, scene, region, piece, pattern);
  paintLines(brush, scene, region);
  paintNumbers(brush, scene, region);
  paintMarks(brush, scene);
  context.restore();
  paintEnds(brush, scene, right, bottom);
  if (sight.size >= NAMED) paintLabels(brush, scene.labels, labelSight(scene), places(scene, region));
  else paintTicks(brush, scene, region);
}

/** Where a row or a column begins in the picture. */
export function y({ sight, top }: Pick<ZoomScene, "sight" | "top">, row: number): number {
  return top + (row - sight.row) * sight.size;
}

export function x({ sight, left }: Pick<ZoomScene, "sight" | "left">, column: number): number {
  return left + (column - sight.column) * sight.size;
}

/** The points of `count` that stand for cells `from` to before `to`, of a piece that spans `span` cells from `start`. */
function points(from: number, to: number, start: number, span: number, count: number): [number, number] {
  const at = (cell: number) => ((cell - start) * count) / span;
  return [Math.max(0, Math.floor(at(from))), Math.min(count, Math.ceil(at(to)))];
}

/** Only what is seen is drawn: enlarged as a whole, a piece would be wider than a picture can be. */
function paintPiece(
  { context, theme, ratio }: Brush,
  scene: ZoomScene,
  region: Region,
  { canvas, row, column, rows, columns, hides }: ZoomPiece,
  pattern: CanvasPattern | string,
): void {
  const [x0, x1] = points(...region.columns, column, columns, canvas.width);
  const [y0, y1] = points(...region.rows, row, rows, canvas.height);
  if (x1 <= x0 || y1 <= y0) return;
  // Edges on whole points of the screen, so that pieces meet without a seam.
  const snap = (at: number) => Math.round(at * ratio) / ratio;
  const across = (point: number) => snap(x(scene, column + (point * columns) / canvas.width));
  const down = (point: number) => snap(y(scene, row + (point * rows) / canvas.height));
  const [left, top] = [across(x0), down(y0)];
  const [width, height] = [across(x1) - left, down(y1) - top];
  if (hides) {
    context.fillStyle = THEME[theme].paper;
    context.fillRect(left, top, width, height);
    context.fillStyle = pattern;
    context.fillRect(left, top, width, height);
  }
  context.drawImage(canvas, x0, y0, x1 - x0, y1 - y0, left, top, width, height);
}

function paintLines({ context, theme }: Brush, scene: ZoomScene, { rows, columns }: Region): void {
  if (scene.sight.size < LINED) return;
  context.fillStyle = THEME[theme].line;
  const [left, top] = [x(scene, columns[0]), y(scene, rows[0])];
  const [width, height] = [x(scene, columns[1]) - left, y(scene, rows[1]) - top];
  for (let row = rows[0]; row <= rows[1]; row++) context.fillRect(left, y(scene, row), width, 1);
  for (let column = columns[0]; column <= columns[1]; column++)
    context.fillRect(x(scene, column), top, 1, height);
}

function paintNumbers({ context, theme, letters }: Brush, scene: ZoomScene, region: Region): void {
  const { size } = scene.sight;
  if (size < NUMBERED) return;
  const digits = scene.digits === "full" || size < 56 ? (scene.digits === 2 ? 2 : 3) : scene.digits;
  context.font = `${Math.min(12, letters.size)}px ${letters.family}`;
  context.fillStyle = THEME[theme].ink;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let row = region.rows[0]; row < region.rows[1]; row++)
    for (let column = region.columns[0]; column < region.columns[1]; column++) {
      const value = scene.weight(row, column);
      if (value === null || value < 0) continue;
      const text = formatNumber(value, value >= 0.001 ? digits : 2);
      const [middle, line] = [x(scene, column) + size / 2, y(scene, row) + size / 2];
      // Of a number that is cut off at the edge what is left would be read as another.
      const half = Math.min(size - 4, context.measureText(text).width) / 2;
      if (middle - half < scene.left || middle + half > scene.width) continue;
      if (line - 7 < scene.top || line + 7 > scene.height) continue;
      context.fillText(text, middle, line, size - 4);
    }
}

function paintMarks({ context, theme }: Brush, scene: ZoomScene): void {
  const { cursor, open, sight } = scene;
  const { ink, paper, edge } = THEME[theme];
  const { size } = sight;
  if (cursor && size < LINED) {
    context.fillStyle = edge;
    context.globalAlpha = 0.7;
    context.fillRect(scene.left, y(scene, cursor.row + 0.5) - 0.5, scene.width, 1);
    context.fillRect(x(scene, cursor.column + 0.5) - 0.5, scene.top, 1, scene.height);
    context.globalAlpha = 1;
  }
  const frame = ({ row, column }: MapPlace, heavy: boolean) => {
    // Around small cells the frame stands outside, so that it covers none of their colour.
    const out = size < LINED ? 4 - size / 2 : 0;
    const place = [x(scene, column) - out, y(scene, row) - out, size + 2 * out, size + 2 * out] as const;
    context.strokeStyle = paper;
    context.lineWidth = heavy ? 5 : 4;
    context.strokeRect(...place);
    context.strokeStyle = ink;
    context.lineWidth = heavy ? 3 : 1.5;
    context.strokeRect(...place);
  };
  const same = open && cursor && open.row === cursor.row && open.column === cursor.column;
  if (cursor && !same) frame(cursor, false);
  if (open) frame(open, true);
}

/** A line where the map ends, inside the picture. */
function paintEnds({ context, theme }: Brush, scene: ZoomScene, right: number, bottom: number): void {
  const { left, top, width, height } = scene;
  context.fillStyle = THEME[theme].line;
  const [wide, high] = [Math.min(width, right) - left, Math.min(height, bottom) - top];
  if (right < width) context.fillRect(right, top, 1, high);
  if (bottom < height) context.fillRect(left, bottom, wide, 1);
  context.fillRect(left - 1, top, 1, high);
  context.fillRect(left, top - 1, wide, 1);
}

function labelSight(scene: ZoomScene) {
  const { left, top, width, height, cursor, sight } = scene;
  return { cell: sight.size, left, top, x: 0, y: 0, width, height, cursor };
}

function places(scene: ZoomScene, { rows, columns }: Region) {
  return {
    row: (i: number) => y(scene, i),
    column: (i: number) => x(scene, i),
    side: 0,
    rows,
    columns,
  };
}
