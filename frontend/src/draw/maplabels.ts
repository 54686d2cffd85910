/** The labels of a map: they stay at its edges while it scrolls, and the ones that matter keep their room. */
import {
  labelText,
  type MapLabel,
  PADDING,
  SIDE,
  stride,
  type WeightMapModel,
  writtenLabels,
} from "./mapmodel";
import type { Brush, MapSight, Places } from "./mappaint";
import { type Letters, positionPaint, THEME } from "./paint";

/** What labels are written from. */
export type LabelledMap = Pick<WeightMapModel, "rows" | "columns" | "pins" | "found" | "row" | "side">;

/** Labels in the letters of the page; a number on its colour is a little smaller. */
export function font({ family, size }: Letters, look: "plain" | "strong" | "number"): string {
  const pixels = look === "number" ? size * 0.92 : size;
  return `${look === "plain" ? "" : "600 "}${pixels}px ${family}`;
}

export function paintLabels(brush: Brush, model: LabelledMap, sight: MapSight, at: Places): void {
  const { context, theme } = brush;
  const { cursor } = sight;
  const pins = [...(model.pins ?? []), ...(model.found?.positions ?? [])];
  const row = model.row ?? null;
  // What comes first keeps its room.
  const rows = new Set([...(cursor ? [cursor.row] : []), ...(row === null ? [] : [row]), ...pins]);
  const columns = new Set([...(cursor ? [cursor.column] : []), ...pins]);
  context.fillStyle = THEME[theme].paper;
  context.fillRect(0, 0, sight.width, sight.top);
  context.fillRect(0, 0, sight.left, sight.height);
  context.textBaseline = "middle";
  context.textRendering = "geometricPrecision";
  paintRowLabels(brush, model, sight, at, rows);
  paintColumnLabels(brush, model, sight, at, columns);
}

/** How far the letters of the first and the last place stand out beyond the cells, where these are small. */
export function overhang(cell: number, size: number): number {
  return Math.max(0, Math.ceil(size * 0.65 - cell / 2));
}

function paintRowLabels(
  brush: Brush,
  model: LabelledMap,
  { cell, left, top, height }: MapSight,
  at: Places,
  must: ReadonlySet<number>,
): void {
  const { context, letters } = brush;
  const { labels } = model.rows;
  context.save();
  context.beginPath();
  const more = overhang(cell, letters.size);
  context.rect(0, top - more, left, height - top + more);
  context.clip();
  for (const row of writtenLabels(at.rows[0], at.rows[1], stride(cell, letters.size), must)) {
    const y = at.row(row) + cell / 2;
    paintLabel(brush, model, labels, row, left - 6, y, left - 8, must.has(row));
  }
  context.restore();
}

/** Columns are named from the top down, so that a long word has as much room as a short one. */
function paintColumnLabels(
  brush: Brush,
  model: LabelledMap,
  { cell, left, top, width }: MapSight,
  at: Places,
  must: ReadonlySet<number>,
): void {
  const { context, theme, letters } = brush;
  const { labels } = model.columns;
  const standing = (x: number, draw: () => void) => {
    context.save();
    context.translate(x, top - 6);
    context.rotate(Math.PI / 2);
    draw();
    context.restore();
  };
  context.save();
  context.beginPath();
  const more = overhang(cell, letters.size);
  context.rect(left - more, 0, width - left + more, top);
  context.clip();
  for (const column of writtenLabels(at.columns[0], at.columns[1], stride(cell, letters.size), must)) {
    const x = at.column(column) + cell / 2;
    standing(x, () => paintLabel(brush, model, labels, column, 0, 0, top - 8, must.has(column)));
  }
  const { side } = model;
  if (side)
    standing(at.side + Math.max(SIDE, cell) / 2, () => {
      context.font = font(letters, "plain");
      context.textAlign = "right";
      context.fillStyle = THEME[theme].ink;
      context.fillText(side.name, 0, 0);
    });
  context.restore();
}

/** A label that ends at `x`: its number on its colour, then its word, cut where it has no room. */
function paintLabel(
  { context, theme, letters }: Brush,
  model: LabelledMap,
  labels: readonly MapLabel[],
  index: number,
  x: number,
  y: number,
  room: number,
  strong: boolean,
): void {
  const label = labels[index];
  if (!label) return;
  const { ink, soft } = THEME[theme];
  context.textAlign = "right";
  const number = label.position === undefined ? "" : String(label.position);
  context.font = font(letters, "number");
  const numberWidth = number ? Math.max(16, context.measureText(number).width + 6) : 0;
  context.font = font(letters, strong ? "strong" : "plain");
  const word = fitted(
    context,
    labelText({ text: label.text, ...(number ? { position: 0 } : {}) }).replace(/^0 /, ""),
    room - numberWidth - 4,
  );
  context.fillStyle = label.note ? soft : ink;
  context.fillText(word, x, y);
  const width = context.measureText(word).width;
  if (model.found?.positions.includes(label.position ?? -1)) {
    context.fillRect(x - width, y + 7, width, label.position === model.found.at ? 2.5 : 1);
  }
  if (!number) return;
  const paint = positionPaint(label.position ?? 0, labels.length, theme);
  const start = x - width - 4 - numberWidth;
  if (label.note === PADDING) {
    context.strokeStyle = soft;
    context.lineWidth = 1;
    context.strokeRect(start + 0.5, y - 6.5, numberWidth - 1, 13);
    context.fillStyle = soft;
  } else {
    context.fillStyle = paint.fill;
    context.fillRect(start, y - 7, numberWidth, 14);
    context.fillStyle = paint.ink;
  }
  context.font = font(letters, "number");
  context.textAlign = "center";
  context.fillText(number, start + numberWidth / 2, y + 0.5);
}

/** As many letters as have room, at least one; looked for by halves, because a measurement takes its time. */
function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  const first = (count: number) => `${letters.slice(0, count).join("")}…`;
  let [fits, over] = [1, letters.length];
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (context.measureText(first(middle)).width <= room) fits = middle;
    else over = middle;
  }
  return first(fits);
}

/** How much room the longest of `labels` asks for, between `least` and `most` pixels. */
export function labelRoom(
  context: CanvasRenderingContext2D | null,
  letters: Letters,
  labels: readonly MapLabel[],
  least: number,
  most: number,
): number {
  if (!context) return least;
  context.textRendering = "geometricPrecision";
  context.font = font(letters, "strong");
  const widths = labels.map((label) => context.measureText(labelText({ ...label, note: "" })).width);
  return Math.ceil(Math.max(least, Math.min(most, Math.max(0, ...widths) + 22)));
}
