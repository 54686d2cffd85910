/** Where cells are too small to be named, the axes count: positions at round numbers, and the one of the cursor. */
import { font } from "./maplabels";
import type { Brush } from "./mappaint";
import { THEME } from "./paint";
import { ticks } from "./ticks";
import { x, y, type ZoomScene } from "./zoompaint";
import type { Region } from "./zoomview";

/** The round positions from `from` to `to`, not nearer to each other than `apart` pixels. */
export function positions(from: number, to: number, room: number, apart: number): number[] {
  if (to - from <= 1) return [from];
  const most = Math.max(2, Math.floor(room / apart));
  return ticks(from, to - 1, most).filter((at) => Number.isInteger(at));
}

export function paintTicks(brush: Brush, scene: ZoomScene, { rows, columns }: Region): void {
  const { context, theme, letters } = brush;
  const { left, top, width, height, sight, cursor } = scene;
  const { ink, soft, paper, edge } = THEME[theme];
  context.fillStyle = paper;
  context.fillRect(0, 0, width, top - 1);
  context.fillRect(0, 0, left - 1, height);
  context.textBaseline = "middle";
  const middle = sight.size / 2;

  const tick = (row: number | null, column: number | null, strong: boolean) => {
    const at = String(row ?? column);
    context.font = font(letters, strong ? "strong" : "plain");
    context.textAlign = row === null ? "center" : "right";
    const wide = context.measureText(at).width + 8;
    const px = row === null ? x(scene, column as number) + middle : left - 8;
    const py = row === null ? top - 15 : y(scene, row) + middle;
    if (strong) {
      context.fillStyle = paper;
      if (row === null) context.fillRect(px - wide / 2, py - 9, wide, 18);
      else context.fillRect(px - wide, py - 9, wide + 2, 18);
    }
    context.fillStyle = edge;
    if (row === null) context.fillRect(px - 0.5, top - 6, 1, 5);
    else context.fillRect(left - 6, py - 0.5, 5, 1);
    context.fillStyle = strong ? ink : soft;
    context.fillText(at, px, py);
  };
  const high = Math.min(height, y(scene, rows[1])) - top;
  const wide = Math.min(width, x(scene, columns[1])) - left;
  // The cursor's position comes first; round ones give way to it.
  const free = (at: number, other: number | undefined, room: number) =>
    other === undefined || Math.abs(at - other) * sight.size >= room;
  for (const row of positions(...rows, high, 44)) if (free(row, cursor?.row, 16)) tick(row, null, false);
  for (const column of positions(...columns, wide, 64))
    if (free(column, cursor?.column, 44)) tick(null, column, false);
  if (!cursor) return;
  const within = (at: number, [from, to]: [number, number]) => at >= from && at < to;
  if (within(cursor.row, rows)) tick(cursor.row, null, true);
  if (within(cursor.column, columns)) tick(null, cursor.column, true);
}
