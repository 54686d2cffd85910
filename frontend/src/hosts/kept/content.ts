/**
 * The content of a page that has no session: answers that were worked out beforehand. How it is written says
 * `clearhead/surfaces/page/packing.py`.
 */
import type { State, ViewData, WireBuffer } from "../../wire/types";

export const KEPT_VERSION = 1;

export type Numbers = WireBuffer;

export interface Answer {
  data: ViewData;
  buffers: Numbers[];
}

export interface Content {
  title: string;
  /** What the page begins with. */
  address: string;
  /** The parts that come after the stops, by their ids. */
  parts: string[];
  /** The switches as the example came with them. */
  own: Partial<State>;
  /** The steps of a training that were kept, in order. */
  steps: number[];
  answers: Map<string, Answer>;
}

interface Header extends Omit<Content, "answers"> {
  clearhead: number;
  shared: unknown[];
  answers: unknown;
  buffers: { dtype: keyof typeof ARRAYS; shape: number[] }[];
}

const ARRAYS = {
  float64: (bytes: ArrayBuffer) => new Float64Array(bytes),
  float32: (bytes: ArrayBuffer) => new Float32Array(bytes),
  int32: (bytes: ArrayBuffer) => new Int32Array(bytes),
  uint8: (bytes: ArrayBuffer) => new Uint8Array(bytes),
};

/** An answer as it is written: its buffers are places among all. */
interface Written {
  key: string;
  data: Answer["data"];
  buffers: number[];
}

const SIZES = { float64: 8, float32: 4, int32: 4, uint8: 1 };

const ALIGNMENT = 8;

/** The bytes that an element of the document holds, compressed and written in letters. */
export async function unfolded(id: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(document.getElementById(id)?.textContent ?? ""), (one) =>
    one.charCodeAt(0),
  );
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** Reads the content; throws when it is cut short or of another version. */
export function readContent(bytes: ArrayBuffer): Content {
  const length = new DataView(bytes).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(bytes, 4, length));
  const header = JSON.parse(text) as Header;
  if (header.clearhead !== KEPT_VERSION)
    throw new Error(`This page holds version ${header.clearhead} of its content; expected ${KEPT_VERSION}.`);
  let offset = 4 + length;
  const buffers = header.buffers.map(({ dtype, shape }) => {
    const count = shape.reduce((product, size) => product * size, 1);
    const raw = unshuffled(new Uint8Array(bytes, offset, count * SIZES[dtype]), SIZES[dtype]);
    offset += Math.ceil(raw.byteLength / ALIGNMENT) * ALIGNMENT;
    return ARRAYS[dtype](raw);
  });
  const shared: unknown[] = [];
  for (const one of header.shared) shared.push(restored(one, shared));
  const answers = new Map<string, Answer>();
  for (const { key, data, buffers: places } of restored(header.answers, shared) as Written[])
    answers.set(key, { data, buffers: places.map((place) => buffers[place] as Numbers) });
  return { ...header, answers };
}

/** Numbers of `size` bytes, whose first bytes all came first, then all second ones, and so on. */
function unshuffled(given: Uint8Array, size: number): ArrayBuffer {
  const count = given.length / size;
  const made = new Uint8Array(given.length);
  for (let byte = 0; byte < size; byte++)
    for (let at = 0; at < count; at++) made[at * size + byte] = given[byte * count + at] as number;
  return made.buffer;
}

/** The data with what it shares put in; the same object in every place where it stands. */
function restored(node: unknown, shared: unknown[]): unknown {
  if (Array.isArray(node)) return node.map((part) => restored(part, shared));
  if (node === null || typeof node !== "object") return node;
  const given = node as Record<string, unknown>;
  const place = given.$;
  if (typeof place === "number") return shared[place];
  const pairs = place === null ? (given.pairs as [string, unknown][]) : Object.entries(given);
  return Object.fromEntries(pairs.map(([field, value]) => [field, restored(value, shared)]));
}
