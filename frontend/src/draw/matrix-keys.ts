/** Where a key moves the current cell of a grid, after the ARIA grid pattern. */

export interface Place {
  row: number;
  column: number;
}

/** How many rows PageUp and PageDown move. */
const PAGE_ROWS = 5;

/** The place the key leads to, kept inside the grid, or `null` where the key does not move. */
export function moved(event: KeyboardEvent, from: Place, rows: number, columns: number): Place | null {
  if (event.altKey || event.metaKey || event.shiftKey) return null;
  const target = event.ctrlKey
    ? cornerMove(event.key, from, rows, columns)
    : plainMove(event.key, from, columns);
  if (!target) return null;
  const inside = (at: number, count: number) => Math.max(0, Math.min(count - 1, at));
  return { row: inside(target.row, rows), column: inside(target.column, columns) };
}

function plainMove(key: string, { row, column }: Place, columns: number): Place | null {
  switch (key) {
    case "ArrowUp":
      return { row: row - 1, column };
    case "ArrowDown":
      return { row: row + 1, column };
    case "ArrowLeft":
      return { row, column: column - 1 };
    case "ArrowRight":
      return { row, column: column + 1 };
    case "Home":
      return { row, column: 0 };
    case "End":
      return { row, column: columns - 1 };
    case "PageUp":
      return { row: row - PAGE_ROWS, column };
    case "PageDown":
      return { row: row + PAGE_ROWS, column };
    default:
      return null;
  }
}

function cornerMove(key: string, from: Place, rows: number, columns: number): Place | null {
  if (key === "Home") return { row: 0, column: 0 };
  if (key === "End") return { row: rows - 1, column: columns - 1 };
  if (key === "ArrowUp") return { ...from, row: 0 };
  if (key === "ArrowDown") return { ...from, row: rows - 1 };
  if (key === "ArrowLeft") return { ...from, column: 0 };
  if (key === "ArrowRight") return { ...from, column: columns - 1 };
  return null;
}

/** Does this key begin typing a number? */
export function startsNumber(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.altKey && !event.metaKey && /^[\d.\-−+]$/.test(event.key);
}
