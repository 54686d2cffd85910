import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createHeatmap, type HeatmapModel } from "./heatmap";

const MODEL: HeatmapModel = {
  name: "layer 1, head 0",
  weights: new Float64Array([1, 0, 0.5, 0.5]),
  size: 2,
  targets: [-1, 0],
};

let painted: Uint8ClampedArray = new Uint8ClampedArray();

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", () => 0);
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({
    createImageData: (width: number, height: number) => ({ data: new Uint8ClampedArray(width * height * 4) }),
    putImageData: (image: { data: Uint8ClampedArray }) => {
      painted = image.data;
    },
  } as unknown as CanvasRenderingContext2D);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const point = (at: number) => [...painted.subarray(at * 4, at * 4 + 4)];

it("paints the page's colour where there is no weight, and the same colour for the same weight", () => {
  createHeatmap(MODEL, () => undefined);
  expect(point(1)).toEqual([255, 255, 255, 255]);
  expect(point(2)).toEqual(point(3));
  expect(point(0)).not.toEqual(point(2));
  expect(point(0)[3]).toBe(255);
});

it("lets what is masked through to its hatching, which a weight of 0 does not", () => {
  createHeatmap({ ...MODEL, weights: new Float64Array([1, -1, 0, 1]) }, () => undefined);
  expect(point(1)[3]).toBe(0);
  expect(point(2)).toEqual([255, 255, 255, 255]);
});

it("frames the cells that are meant to be dark, and only those", () => {
  const map = createHeatmap(MODEL, () => undefined);
  const frames = () =>
    [...map.element.querySelectorAll("rect")].map((rect) => [rect.getAttribute("x"), rect.getAttribute("y")]);
  expect(frames()).toEqual([["0", "1"]]);
  map.update({ ...MODEL, targets: [0, -1] });
  expect(frames()).toEqual([["0", "0"]]);
});

it("names its map for who cannot see it", () => {
  const map = createHeatmap(MODEL, () => undefined);
  expect(map.element.querySelector("canvas")?.getAttribute("aria-label")).toBe("weights of layer 1, head 0");
});

it("reads the cell under the pointer", () => {
  const read = vi.fn();
  const map = createHeatmap(MODEL, read);
  const canvas = map.element.querySelector("canvas")!;
  canvas.getBoundingClientRect = () => ({ left: 0, top: 0, width: 100, height: 100 }) as DOMRect;
  map.element.dispatchEvent(new PointerEvent("pointermove", { clientX: 60, clientY: 10 }));
  map.element.dispatchEvent(new PointerEvent("pointerleave"));
  expect(read.mock.calls).toEqual([[{ row: 0, column: 1 }], [null]]);
});
