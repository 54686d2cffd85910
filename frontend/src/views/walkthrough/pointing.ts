import { pageWidth, sightOf } from "../../draw/sight";
import type { CellRef } from "../../wire/types";
import { alignMiddle } from "./aligning";
import type { FigureSet } from "./figureset";

/** Below this width the arithmetic is a sheet over the lower part of what is seen (see draw/arithmetic.css). */
const SHEET = 1100;
const SHEET_SHARE = 0.45;
/** The bar at the top covers this much. */
const BAR_HEIGHT = 90;

interface Place {
  matrix: { element: HTMLElement; focusCell(row: number, column: number): void };
  row: number;
  column: number;
}

/**
 * Brings a cell into sight. Nothing moves when the cell is already in sight somewhere, so following the factors of a
 * sum leaves the page still for as long as it can.
 */
export function pointTo(sets: FigureSet[], cell: CellRef): void {
  const places = placesOf(sets, cell);
  if (places.some(isInSight)) return;
  const first = places[0] && cellElement(places[0]);
  if (first) alignMiddle(first);
}

/** The element of a cell where it is drawn first. */
export function cellIn(sets: FigureSet[], cell: CellRef): HTMLElement | undefined {
  const [place] = placesOf(sets, cell);
  return place && cellElement(place);
}

/** Puts the keyboard focus on a cell, for coming back from the panel. */
export function focusCell(sets: FigureSet[], cell: CellRef): void {
  const places = placesOf(sets, cell);
  const place = places.find(isInSight) ?? places[0];
  place?.matrix.focusCell(place.row, place.column);
}

export function isShown(sets: FigureSet[], cell: CellRef): boolean {
  return placesOf(sets, cell).length > 0;
}

/** Matrices inside a closed "every row" have boxes and cannot be seen; only checkVisibility knows. */
function placesOf(sets: FigureSet[], cell: CellRef): Place[] {
  return sets.flatMap((set) => set.showing(cell)).filter(({ matrix }) => matrix.element.checkVisibility());
}

function cellElement({ matrix, row, column }: Place): HTMLElement | undefined {
  return matrix.element.querySelectorAll("tbody tr")[row]?.querySelectorAll("td")[column];
}

function isInSight(place: Place): boolean {
  const cell = cellElement(place)?.getBoundingClientRect();
  const matrix = place.matrix.element.getBoundingClientRect();
  if (!cell) return false;
  const { element } = place.matrix;
  const sight = sightOf(element);
  const covered = pageWidth(element) < SHEET ? sight.height * SHEET_SHARE : 0;
  return (
    cell.top >= sight.top + BAR_HEIGHT &&
    cell.bottom <= sight.bottom - covered &&
    cell.left >= matrix.left &&
    cell.right <= matrix.right + 4
  );
}
