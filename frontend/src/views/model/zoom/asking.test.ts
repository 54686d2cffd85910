import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { weightBytes } from "../../../draw/paint";
import { fakeHost, mistake, settled } from "../../../state/testing";
import type { Message, Reply } from "../../../wire/types";
import { Looking } from "./looking";
import { Tiles } from "./tiles";

const STATE = { model: "m" };
const SQUARE = { rows: 1009, columns: 1009 };
const place = (row: number, column = 0, step = 1) => ({ step, row, column });

function tile(message: Message | undefined, value = 0.5): Reply {
  if (message?.ask !== "tile") throw new Error("no tile was asked for");
  const size = ([from = 0, to = 0]: number[]) => Math.ceil((to - from) / message.step);
  const values = new Float32Array(size(message.rows) * size(message.columns)).fill(value);
  const { rows, columns, step, pool } = message;
  return { data: { kind: "tile", rows, columns, step, pool, values: 0 }, buffers: [values] };
}

function look(query: number, key: number): Reply {
  const numbers = { weight: 0.5, score: 1, lse: 2, entropy: 1, hidden: "", top: [] };
  return { data: { kind: "look", query, key, ...numbers }, buffers: [] };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("tiles", () => {
  it("are asked for two at a time; of those that wait, what is not wanted any more is dropped", async () => {
    const host = fakeHost();
    const tiles = new Tiles(host, () => undefined);
    tiles.begin(STATE, SQUARE);
    tiles.want([place(0), place(256), place(512), place(768)], "largest");
    expect(host.requests).toHaveLength(2);
    tiles.want([place(0, 256), place(0, 512)], "largest");
    const [first] = host.requests;
    await first?.answer(tile(first.messages[0]));
    expect(host.asked()[0]).toMatchObject({ rows: [0, 256], columns: [256, 512], step: 1, pool: "largest" });
    expect(tiles.value(255, 255, 1, "largest")).toBe(0.5);
    expect(tiles.value(255, 256, 1, "largest")).toBeNull();
    expect(tiles.value(255, 255, 1, "mean")).toBeNull();
  });

  it("are asked for once, and end where the map ends", async () => {
    const host = fakeHost();
    const tiles = new Tiles(host, () => undefined);
    tiles.begin(STATE, SQUARE);
    tiles.want([place(768, 512, 2)], "mean");
    expect(host.asked()[0]).toMatchObject({ rows: [768, 1009], columns: [512, 1009] });
    await host.requests[0]?.answer(tile(host.asked()[0]));
    tiles.want([place(768, 512, 2)], "mean");
    expect(host.requests).toHaveLength(1);
    expect(tiles.busy).toBe(false);
  });

  it("of another head are not taken for those of this one", async () => {
    const host = fakeHost();
    const tiles = new Tiles(host, () => undefined);
    tiles.begin(STATE, SQUARE);
    tiles.want([place(0)], "mean");
    const [old] = host.requests;
    tiles.begin({ ...STATE, head: 1 }, SQUARE);
    await old?.answer(tile(old.messages[0]));
    expect(tiles.value(0, 0, 1, "mean")).toBeNull();
  });

  it("that cannot be had are said, and not asked for again and again", async () => {
    const host = fakeHost();
    const tiles = new Tiles(host, () => undefined);
    tiles.begin(STATE, SQUARE);
    tiles.want([place(0)], "mean");
    await host.requests[0]?.answer(mistake("No."));
    expect(tiles.trouble).toBe("No.");
    tiles.want([place(0)], "mean");
    expect(host.requests).toHaveLength(1);
  });

  it("are asked for again when the session is back", async () => {
    const host = fakeHost();
    const tiles = new Tiles(host, () => undefined);
    tiles.begin(STATE, SQUARE);
    tiles.want([place(0)], "mean");
    await host.requests[0]?.lose();
    tiles.retry();
    expect(host.requests).toHaveLength(2);
  });

  it("stand in for finer ones, the coarsest first", async () => {
    vi.stubGlobal(
      "ImageData",
      class {
        data: Uint8ClampedArray;
        constructor(width: number, height: number) {
          this.data = new Uint8ClampedArray(width * height * 4);
        }
      },
    );
    const host = fakeHost();
    const tiles = new Tiles(host, () => undefined);
    tiles.begin(STATE, SQUARE);
    tiles.want([place(0, 0, 1), place(0, 0, 2)], "mean");
    for (const request of [...host.requests]) await request.answer(tile(request.messages[0]));
    const colours = new Uint32Array(weightBytes("light").map(() => 1));
    const style = { name: "x", scale: { kind: "linear", least: 0, most: 1 }, colours } as const;
    const region = { rows: [0, 300], columns: [0, 300] } as {
      rows: [number, number];
      columns: [number, number];
    };
    expect(tiles.pieces(region, 1, "mean", style)).toEqual([]);
    await vi.runAllTimersAsync();
    expect(tiles.pieces(region, 1, "mean", style).map((piece) => piece.rows)).toEqual([512, 256]);
    expect(tiles.pieces(region, 2, "mean", style).map((piece) => piece.rows)).toEqual([512]);
    expect(tiles.pieces({ ...region, rows: [600, 700] }, 1, "mean", style)).toEqual([]);
    vi.unstubAllGlobals();
  });
});

describe("looking at cells", () => {
  it("asks of one at a time, and of those that come meanwhile only the newest", async () => {
    const host = fakeHost();
    const looking = new Looking(host, () => undefined);
    looking.begin(STATE);
    for (const column of [0, 1, 2]) {
      looking.want({ row: 7, column });
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(host.requests).toHaveLength(1);
    await host.requests[0]?.answer(look(7, 0));
    expect(host.asked()[0]).toMatchObject({ ask: "look", query: 7, key: 2 });
    await host.requests[1]?.answer(look(7, 2));
    await settled();
    expect(looking.of({ row: 7, column: 2 })?.weight).toBe(0.5);
    looking.want({ row: 7, column: 0 });
    await vi.advanceTimersByTimeAsync(50);
    expect(host.requests).toHaveLength(2);
  });
});
