/**
 * The content of a page that has no session: answers that were worked out beforehand. How it is written says
 * `clearhead/surfaces/page/packing.py`.
 */
import type { State, ViewData, WireBuffer } from "../../wire/types";

export const KEPT_VERSION = 2;

export type Numbers = WireBuffer;

export interface Answer {
  data: ViewData;
  buffers: Numbers[];
}

/** What the page knows beside its answers. */
export interface About {
  title: string;
  /** What the page begins with. */
  address: string;
  /** The parts that come after the stops, by their ids. */
  parts: string[];
  /** The switches as the example came with them. */
  own: Partial<State>;
  /** The steps of a training that were kept, in order. */
  steps: number[];
}

interface BufferHeader {
  dtype: keyof typeof ARRAYS;
  shape: number[];
  /** The numbers are whole steps, so many of which make 1. */
  per?: number;
  /** The part of the content that it lies in, if not the first. */
  part?: number;
}

interface Header extends About {
  clearhead: number;
  shared: unknown[];
  answers: unknown;
  buffers: BufferHeader[];
}

const ARRAYS = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint8: Uint8Array,
};

/** An answer as it is written: its buffers are places among all. */
interface Written {
  key: string;
  data: Answer["data"];
  buffers: number[];
}

const ALIGNMENT = 8;

/** Gives a part of the content, by its number, as it was before it was compressed. */
export type ReadPart = (number: number) => Promise<ArrayBuffer>;

/**
 * The parts that elements of the document hold, compressed and written in letters. The elements are kept here, because the
 * page takes their place.
 */
export function partsOfDocument(): ReadPart {
  const elements = [...document.querySelectorAll("script[id^=clearhead-part-]")];
  return async (number) => {
    const letters = atob(elements[number]?.textContent ?? "");
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  };
}

/** Parts that are remembered: the head that is looked at, and a few from before. */
const PARTS_KEPT = 4;

/** The answers of a page; the numbers of most are only read when they are asked for. */
export class Content {
  private readonly answers = new Map<string, Written>();
  private readonly parts = new Map<number, Promise<Map<number, Numbers>>>();

  private constructor(
    readonly about: About,
    written: Written[],
    private readonly described: BufferHeader[],
    private readonly first: Map<number, Numbers>,
    private readonly read: ReadPart,
  ) {
    for (const one of written) this.answers.set(one.key, one);
  }

  /** Reads what is there from the beginning; throws when it is cut short or of another version. */
  static async open(read: ReadPart): Promise<Content> {
    const bytes = await read(0);
    const length = new DataView(bytes).getUint32(0, true);
    const text = new TextDecoder().decode(new Uint8Array(bytes, 4, length));
    const header = JSON.parse(text) as Header;
    if (header.clearhead !== KEPT_VERSION)
      throw new Error(
        `This page holds version ${header.clearhead} of its content; expected ${KEPT_VERSION}.`,
      );
    const shared: unknown[] = [];
    for (const one of header.shared) shared.push(restored(one, shared));
    const written = restored(header.answers, shared) as Written[];
    const first = arraysOf(bytes, 4 + length, header.buffers, 0);
    return new Content(header, written, header.buffers, first, read);
  }

  has(key: string): boolean {
    return this.answers.has(key);
  }

  /** The data of an answer without its numbers. */
  data(key: string): ViewData | undefined {
    return this.answers.get(key)?.data;
  }

  async answer(key: string): Promise<Answer | undefined> {
    const found = this.answers.get(key);
    if (found === undefined) return undefined;
    const buffers = await Promise.all(found.buffers.map((place) => this.buffer(place)));
    return { data: found.data, buffers };
  }

  private async buffer(place: number): Promise<Numbers> {
    const part = this.described[place]?.part ?? 0;
    const arrays = part === 0 ? this.first : await this.part(part);
    const found = arrays.get(place);
    if (found === undefined) throw new Error(`This page's content lacks its array ${place}.`);
    return found;
  }

  private part(number: number): Promise<Map<number, Numbers>> {
    const known = this.parts.get(number);
    const found = known ?? this.read(number).then((bytes) => arraysOf(bytes, 0, this.described, number));
    this.parts.delete(number);
    this.parts.set(number, found);
    const [oldest] = this.parts.keys();
    if (this.parts.size > PARTS_KEPT && oldest !== undefined) this.parts.delete(oldest);
    return found;
  }
}

/** The arrays of one part, by their places among all. */
function arraysOf(
  bytes: ArrayBuffer,
  start: number,
  described: BufferHeader[],
  part: number,
): Map<number, Numbers> {
  const found = new Map<number, Numbers>();
  let offset = start;
  for (const [place, { dtype, shape, per, part: own = 0 }] of described.entries()) {
    if (own !== part) continue;
    const count = shape.reduce((product, size) => product * size, 1);
    const size = ARRAYS[dtype].BYTES_PER_ELEMENT;
    const raw = unshuffled(new Uint8Array(bytes, offset, count * size), size);
    offset += Math.ceil((count * size) / ALIGNMENT) * ALIGNMENT;
    const array = new ARRAYS[dtype](raw);
    found.set(
      place,
      per === undefined ? (array as Numbers) : Float64Array.from(array, (whole) => whole / per),
    );
  }
  return found;
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
