/** What long texts add: a map that is zoomed into, its small map, and how far back weights lie. */
import { createDistances } from "../../draw/distances";
import { h, uniqueId } from "../../draw/dom";
import { createMinimap } from "../../draw/minimap";
import { type Theme, themeOf, whenThemeChanges } from "../../draw/paint";
import { ZoomMap, type ZoomMapModel } from "../../draw/zoommap";
import { colourWords, pointsOf, scaleFor, scaleLegend } from "../../draw/zoomscale";
import { exhibit, section } from "./section";

const still = () => undefined;
const COUNT = 96;
const WORDS = ["the", " dog", " saw", " the", " cat", " and", " ran", "."];

/** Every row looks most at the token before it, and some of it goes to every eighth; what comes later is hidden. */
const VALUES = Float32Array.from({ length: COUNT * COUNT }, (_, i) => {
  const [row, column] = [Math.floor(i / COUNT), i % COUNT];
  if (column > row) return -1;
  const back = row - column;
  if (row === 0) return 1;
  return back === 1 ? 0.62 : back > 0 && back % 8 === 0 ? 0.12 / back : 0.02 / (1 + back * back);
});
const SCALE = scaleFor("log", VALUES, 1);
const SQUARE = { rows: COUNT, columns: COUNT };

const points = (theme: Theme) => pointsOf(VALUES, COUNT, COUNT, SCALE, colourWords(theme));

function sampleZoom(): ZoomMapModel {
  const labels = Array.from({ length: COUNT }, (_, i) => ({ text: WORDS[i % 8] as string, position: i }));
  return {
    ...{ name: "weights of L1H0", square: SQUARE, open: { row: 41, column: 40 }, digits: 2 },
    labels: { rows: { name: "tokens", labels }, columns: { name: "tokens", labels } },
    weight: (row, column) => VALUES[row * COUNT + column] as number,
    pieces: (_sight, _plot, theme) => [{ canvas: points(theme), row: 0, column: 0, ...SQUARE, hides: true }],
  };
}

/** A map, at the whole or at cells of so many pixels, and its small map. */
function zoomed(size: number | null): HTMLElement {
  const small = createMinimap(still);
  const id = uniqueId("says");
  const { signal } = new AbortController();
  const map: ZoomMap = new ZoomMap(
    sampleZoom(),
    {
      moved: (sight, plot) => small.draw(points(themeOf(small.element)), SQUARE, sight, plot),
      ...{ point: still, open: still },
    },
    id,
    signal,
  );
  map.cursor = { row: 41, column: 40 };
  map.update(sampleZoom());
  map.look(size === null ? null : map.cursor, size ?? 1);
  whenThemeChanges(map.element, () => map.soon(), signal);
  return h(
    "div",
    { class: "gallery-zoom" },
    map.element,
    small.element,
    h("p", { class: "hint", id }, "Arrow keys move it, + and − zoom."),
  );
}

export function zoomStates(): HTMLElement {
  const distances = createDistances();
  const edges = [...Array.from({ length: 16 }, (_, i) => i), 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 97];
  const shares = edges.slice(1).map((_, i) => (i === 1 ? 0.62 : i % 8 === 0 ? 0.06 : 0.005));
  distances.update({ edges, shares, digits: 2 });
  return section(
    "zooms",
    "A long text",
    "One map down to its single cells. What the mask hides is hatched at every distance; a number that is cut off is not written.",
    exhibit("a long map as a whole", zoomed(null), scaleLegend(SCALE, "largest weight", false)),
    exhibit("a long map from near", zoomed(48)),
    exhibit("how far back weights lie", h("div", { class: "half" }, distances.element)),
  );
}
