/** Where words stand beside their dots, so that as few as possible lie over each other. */

export interface Dot {
  word: string;
  /** Its place in pixels, and the size of its word. */
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Placed {
  word: string;
  box: Box;
  /** Which of `SIDES` it is. */
  side: number;
}

/** Pixels between a dot and its word. */
const GAP = 6;

/** The sides of a dot, the best first: how far the word's middle lies from it, in widths and heights of the word. */
const SIDES: readonly [number, number][] = [
  [0.5, 0],
  [-0.5, 0],
  [0, -0.5],
  [0, 0.5],
  [0.5, -0.5],
  [-0.5, -0.5],
  [0.5, 0.5],
  [-0.5, 0.5],
];

/**
 * Places every word where it covers least. A word stays on the side it had (`before`) while it is free there, so that
 * words do not jump about when the dots move.
 */
export function place(
  dots: Dot[],
  area: { width: number; height: number },
  before: ReadonlyMap<string, number>,
): Placed[] {
  const taken: Box[] = dots.map(({ x, y }) => ({ x: x - 3, y: y - 3, width: 6, height: 6 }));
  return dots.map((dot) => {
    const last = before.get(dot.word) ?? 0;
    const order = [last, ...SIDES.keys()];
    let best: Placed | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const side of order) {
      const box = boxAt(dot, SIDES[side] ?? SIDES[0]!);
      const cost = taken.reduce((sum, other) => sum + overlap(box, other), 0) + outside(box, area);
      if (cost < least) {
        least = cost;
        best = { word: dot.word, box, side };
      }
      if (cost === 0) break;
    }
    taken.push(best!.box);
    return best!;
  });
}

function boxAt({ x, y, width, height }: Dot, [across, down]: readonly [number, number]): Box {
  const left = x + across * (width + 2 * GAP) - width / 2;
  const top = y + down * (height + GAP) - height / 2;
  return { x: left, y: top, width, height };
}

/** The area in which two boxes lie over each other. */
export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

function outside(box: Box, { width, height }: { width: number; height: number }): number {
  return box.width * box.height - overlap(box, { x: 0, y: 0, width, height });
}
