/** Paints the part of a map that its frame shows: cells, labels that stay while it scrolls, and the marks over them. */
import { paintLabels } from "./maplabels";
import { type MapPlace, SIDE, sideWidth, type WeightMapModel } from "./mapmodel";
import { paddingOf } from "./mapwords";
import { hatching, type Letters, THEME, type Theme } from "./paint";

export interface MapSight {
  /** The side of a cell. */
  cell: number;
  /** Room for the labels of rows, at the left, and of columns, at the top. */
  left: number;
  top: number;
  /** How far the frame is scrolled. */
  x: number;
  y: number;
  width: number;
  height: number;
  cursor: MapPlace | null;
}

export interface Brush {
  context: CanvasRenderingContext2D;
  ratio: number;
  theme: Theme;
  letters: Letters;
}

export function paintMap(
  brush: Brush,
  model: WeightMapModel,
  sight: MapSight,
  pictures: { cells: HTMLCanvasElement | null; side: HTMLCanvasElement | null },
): void {
  const { context, theme } = brush;
  const colours = THEME[theme];
  const at = placesOf(model, sight);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, sight.width, sight.height);
  context.save();
  context.beginPath();
  context.rect(sight.left, sight.top, sight.width - sight.left, sight.height - sight.top);
  context.clip();
  context.imageSmoothingEnabled = false;
  const [rows, columns] = [model.rows.labels.length, model.columns.labels.length];
  const size = sight.cell;
  if (pictures.cells) context.drawImage(pictures.cells, at.column(0), at.row(0), columns * size, rows * size);
  if (pictures.side) context.drawImage(pictures.side, at.side, at.row(0), Math.max(SIDE, size), rows * size);
  paintHidden(brush, model, sight, at);
  paintPadding(brush, model, sight, at);
  paintGrid(brush, model, sight, at);
  paintMarks(brush, model, sight, at);
  context.restore();
  paintLabels(brush, model, sight, at);
}

export interface Places {
  row(i: number): number;
  column(i: number): number;
  side: number;
  rows: [number, number];
  columns: [number, number];
}

function placesOf(model: WeightMapModel, { cell, left, top, x, y, width, height }: MapSight): Places {
  const start = left + sideWidth(model, cell);
  const inside = (i: number, count: number) => Math.max(0, Math.min(count, i));
  const [rows, columns] = [model.rows.labels.length, model.columns.labels.length];
  return {
    row: (i) => top + i * cell - y,
    column: (i) => start + i * cell - x,
    side: left - x,
    rows: [inside(Math.floor(y / cell), rows), inside(Math.ceil((y + height - top) / cell), rows)],
    columns: [
      inside(Math.floor((x - start + left) / cell), columns),
      inside(Math.ceil((x + width - left) / cell), columns),
    ],
  };
}

/** Masked cells are hatched in runs, so that a long text costs one shape for each row. */
function paintHidden(
  { context, theme, ratio }: Brush,
  model: WeightMapModel,
  { cell }: MapSight,
  at: Places,
): void {
  const columns = model.columns.labels.length;
  const { hidden } = model;
  if (hidden) {
    context.beginPath();
    for (let row = at.rows[0]; row < at.rows[1]; row++) {
      let start = -1;
      for (let column = at.columns[0]; column <= at.columns[1]; column++) {
        const masked = column < at.columns[1] && hidden[row * columns + column] === 1;
        if (masked && start < 0) start = column;
        if (!masked && start >= 0) {
          context.rect(at.column(start), at.row(row), (column - start) * cell, cell);
          start = -1;
        }
      }
    }
    context.fillStyle = THEME[theme].paper;
    context.fill();
    context.fillStyle = hatching(context, theme, ratio);
    context.fill();
  }
  context.fillStyle = THEME[theme].edge;
  for (const row of model.blind ?? [])
    context.fillRect(at.column(0), at.row(row) + cell / 2 - 1, columns * cell, Math.min(2, cell));
}

/** Rows and columns of padding are faint: what is computed there is about no token of the text. */
function paintPadding(
  { context, theme }: Brush,
  model: WeightMapModel,
  { cell }: MapSight,
  at: Places,
): void {
  const rows = paddingOf(model.rows);
  const columns = paddingOf(model.columns);
  context.save();
  context.fillStyle = THEME[theme].paper;
  context.globalAlpha = 0.75;
  context.beginPath();
  const [wide, high] = [model.columns.labels.length * cell, model.rows.labels.length * cell];
  for (const row of rows) context.rect(at.column(0), at.row(row), wide, cell);
  for (const column of columns) context.rect(at.column(column), at.row(0), cell, high);
  context.fill();
  context.restore();
}

/** Lines between the cells where they are large enough to bear them. */
function paintGrid({ context, theme }: Brush, model: WeightMapModel, { cell }: MapSight, at: Places): void {
  if (cell < 10) return;
  context.fillStyle = THEME[theme].line;
  const [width, height] = [model.columns.labels.length * cell, model.rows.labels.length * cell];
  for (let row = at.rows[0]; row <= at.rows[1]; row++) context.fillRect(at.column(0), at.row(row), width, 1);
  for (let column = at.columns[0]; column <= at.columns[1]; column++)
    context.fillRect(at.column(column), at.row(0), 1, height);
}

function paintMarks({ context, theme }: Brush, model: WeightMapModel, sight: MapSight, at: Places): void {
  const { cell } = sight;
  const { ink, paper } = THEME[theme];
  const [rows, columns] = [model.rows.labels.length, model.columns.labels.length];
  // Around small cells the frame stands outside, so that it covers none of their colour.
  const frame = (x: number, y: number, width: number, height: number) => {
    const small = cell < 10;
    const out = small ? 1 : 0;
    const place = [x - out, y - out, width + 2 * out, height + 2 * out] as const;
    if (!small) {
      context.strokeStyle = paper;
      context.lineWidth = 4;
      context.strokeRect(...place);
    }
    context.strokeStyle = ink;
    context.lineWidth = small ? 1.5 : 2;
    context.strokeRect(...place);
  };
  const { rows: down, columns: across } = model;
  context.strokeStyle = ink;
  context.lineWidth = 2;
  context.setLineDash([6, 4]);
  context.beginPath();
  if (down.written) {
    context.moveTo(at.column(0), at.row(down.written));
    context.lineTo(at.column(columns), at.row(down.written));
  }
  if (across.written) {
    context.moveTo(at.column(across.written), at.row(0));
    context.lineTo(at.column(across.written), at.row(rows));
  }
  context.stroke();
  context.setLineDash([]);
  if (model.row !== null && model.row !== undefined && model.row < rows)
    frame(at.column(0) + 1, at.row(model.row), columns * cell - 2, cell);
  if (sight.cursor) frame(at.column(sight.cursor.column), at.row(sight.cursor.row), cell, cell);
}
