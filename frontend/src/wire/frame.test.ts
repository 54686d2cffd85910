import { describe, expect, it } from "vitest";
import { decodeFrame, encodeRequest } from "./frame";

interface Part {
  dtype: "float64" | "float32" | "int32" | "uint8";
  shape: number[];
  bytes: Uint8Array;
}

const float64 = (...values: number[]): Part => ({
  dtype: "float64",
  shape: [values.length],
  bytes: new Uint8Array(Float64Array.from(values).buffer),
});

const float32 = (...values: number[]): Part => ({
  dtype: "float32",
  shape: [values.length],
  bytes: new Uint8Array(Float32Array.from(values).buffer),
});

const int32 = (...values: number[]): Part => ({
  dtype: "int32",
  shape: [values.length],
  bytes: new Uint8Array(Int32Array.from(values).buffer),
});

const uint8 = (...values: number[]): Part => ({
  dtype: "uint8",
  shape: [values.length],
  bytes: Uint8Array.from(values),
});

/** A frame as the server packs it; `padTo` 1 leaves out the padding of the header. */
function pack(
  id: number,
  replies: { data: unknown; parts: Part[] }[],
  { version = 1, padTo = 8 } = {},
): ArrayBuffer {
  let end = 0;
  const placed: { at: number; bytes: Uint8Array }[] = [];
  const header = {
    clearhead: version,
    id,
    replies: replies.map(({ data, parts }) => ({
      data,
      buffers: parts.map(({ dtype, shape, bytes }) => {
        const offset = end;
        placed.push({ at: offset, bytes });
        end += Math.ceil(bytes.length / 8) * 8;
        return { dtype, shape, offset, bytes: bytes.length };
      }),
    })),
  };
  let text = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil((4 + text.length) / padTo) * padTo - 4;
  text = new TextEncoder().encode(JSON.stringify(header) + " ".repeat(padded - text.length));
  const frame = new Uint8Array(4 + text.length + end);
  new DataView(frame.buffer).setUint32(0, text.length, true);
  frame.set(text, 4);
  for (const { at, bytes } of placed) frame.set(bytes, 4 + text.length + at);
  return frame.buffer;
}

const walk = {
  data: { kind: "script", flavour: "numpy", filename: "ü.py", text: "“∞”" },
  parts: [float64(1.5, -Infinity, 5e-324), uint8(1, 0, 1)],
};

describe("a reply frame", () => {
  it("gives every reply its own data and buffers", () => {
    const frame = decodeFrame(
      pack(7, [walk, { data: { kind: "error" }, parts: [] }, { data: {}, parts: [uint8(9), float64(3)] }]),
    );
    expect(frame.id).toBe(7);
    expect(frame.replies[0]?.data).toEqual(walk.data);
    expect(frame.replies[0]?.buffers).toEqual([
      Float64Array.of(1.5, -Infinity, 5e-324),
      Uint8Array.of(1, 0, 1),
    ]);
    expect(frame.replies[1]?.buffers).toEqual([]);
    expect(frame.replies[2]?.buffers).toEqual([Uint8Array.of(9), Float64Array.of(3)]);
  });

  it("is viewed in place when its buffers are aligned, and copied when they are not", () => {
    for (let extra = 0; extra < 8; extra++) {
      const reply = { data: { pad: "x".repeat(extra) }, parts: [float64(1, 2)] };
      const aligned = pack(1, [reply]);
      const inPlace = decodeFrame(aligned).replies[0]?.buffers[0];
      expect(inPlace?.buffer).toBe(aligned);
      expect(decodeFrame(pack(1, [reply], { padTo: 1 })).replies[0]?.buffers[0]).toEqual(
        Float64Array.of(1, 2),
      );
    }
  });

  it("holds float32 and int32 of any count, in place when it is aligned and copied when it is not", () => {
    for (let extra = 0; extra < 4; extra++) {
      const reply = {
        data: { pad: "x".repeat(extra) },
        parts: [float32(0.1, -1, NaN), int32(3, -5, 7), float64(2)],
      };
      const expected = [Float32Array.of(0.1, -1, NaN), Int32Array.of(3, -5, 7), Float64Array.of(2)];
      const aligned = pack(1, [reply]);
      const [first] = decodeFrame(aligned).replies[0]?.buffers ?? [];
      expect(first?.buffer).toBe(aligned);
      expect(decodeFrame(aligned).replies[0]?.buffers).toEqual(expected);
      expect(decodeFrame(pack(1, [reply], { padTo: 1 })).replies[0]?.buffers).toEqual(expected);
    }
  });

  it("holds empty arrays", () => {
    expect(decodeFrame(pack(1, [{ data: {}, parts: [float64(), float64(4)] }])).replies[0]?.buffers).toEqual([
      new Float64Array(0),
      Float64Array.of(4),
    ]);
  });

  it("is refused when it is cut short anywhere", () => {
    const whole = pack(1, [walk]);
    for (const length of [0, 3, 4, 20, whole.byteLength - 8]) {
      expect(() => decodeFrame(whole.slice(0, length))).toThrow(/too short|ends before|cut short/);
    }
  });

  it("is refused when it is of another version", () => {
    expect(() => decodeFrame(pack(1, [], { version: 2 }))).toThrow(
      "version 2 of the frame; this page reads 1",
    );
  });
});

it("a request names its id and every message", () => {
  const messages = [
    { ask: "examples" as const },
    { ask: "suggest" as const, state: { example: "dog" }, word: "füchs" },
  ];
  expect(JSON.parse(encodeRequest(3, messages))).toEqual({ id: 3, asks: messages });
});
