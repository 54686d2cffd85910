import type { CellRef, Change, ChangeKind } from "../wire/types";
import { type Codec, flag, index, joinParts, list, number, oneOf, parts, text, Unreadable } from "./codec";
import { type ModelLook, STATISTICS, type ZoomPlace } from "./model";

/** A place that need not be named stands as a star. */
const ANY = "*";

const place: Codec<number | undefined> = {
  write: (value) => (value === undefined ? ANY : index.write(value)),
  read: (written) => (written === ANY ? undefined : index.read(written)),
};

const kind = oneOf<ChangeKind>("mask", "scale", "off", "weight");

/** "off:encoder:3:1" and "weight:*:3:1:7:2:0.5": kind, tower, layer, head, and of a weight query, key and value. */
export const change: Codec<Change> = {
  write(value) {
    const where = [value.tower === undefined ? ANY : `'${text.write(value.tower)}`];
    where.push(place.write(value.layer), place.write(value.head));
    const weight =
      value.kind === "weight"
        ? [index.write(value.query ?? 0), index.write(value.key ?? 0), number.write(value.value ?? 0)]
        : [];
    return joinParts([kind.write(value.kind), ...where, ...weight]);
  },
  read(written) {
    const [name = "", tower = ANY, layer = ANY, head = ANY, query, key, value, more] = parts(written);
    const what = kind.read(name);
    const weighs = what === "weight";
    if (more !== undefined || weighs !== (value !== undefined))
      throw new Unreadable(`holds “${written}” where kind:tower:layer:head was expected`);
    const made: Change = { kind: what };
    if (tower !== ANY) made.tower = text.read(tower.replace(/^'/, ""));
    const [l, at] = [place.read(layer), place.read(head)];
    if (l !== undefined) made.layer = l;
    if (at !== undefined) made.head = at;
    if (weighs)
      Object.assign(made, {
        query: index.read(query ?? ""),
        key: index.read(key ?? ""),
        value: number.read(value ?? ""),
      });
    return made;
  },
};

const cell: Codec<CellRef> = {
  write: (value) => joinParts([text.write(value.quantity), ...value.index.map(index.write)]),
  read(written) {
    const [name = "", ...position] = parts(written);
    return { quantity: text.read(name), index: position.map(index.read) };
  },
};

/** "4096:512:0.25": the row and the column in the middle, and the pixels of a cell. */
const zoom: Codec<ZoomPlace> = {
  write: ({ row, column, size }) =>
    joinParts([index.write(row), index.write(column), number.write(Number(size.toPrecision(4)))]),
  read(written) {
    const [row = "", column = "", size = "", more] = parts(written);
    const pixels = size === "" || more !== undefined ? 0 : number.read(size);
    if (pixels <= 0)
      throw new Unreadable(`holds “${written}” where row:column:pixels of a cell was expected`);
    return { row: index.read(row), column: index.read(column), size: pixels };
  },
};

/** What the Model part shows; `block` is a layer of that model, because `layer` is one of the walkthrough above. */
export const modelFields: { [K in keyof Required<ModelLook>]: [key: string, Codec<never>] } = {
  model: field("model", text),
  text: field("text", text),
  decoder: field("decoder", text),
  generate: field("generate", index),
  batch: field("batch", index),
  tower: field("tower", text),
  layer: field("block", index),
  head: field("head", index),
  changes: field("changes", list(change)),
  query: field("query", index),
  pins: field("pins", list(index)),
  show: field("show", oneOf("map", "lines")),
  values: field("values", oneOf("weights", "contribution")),
  ends: field("ends", oneOf("one", "largest")),
  colour: field("statistic", oneOf(...STATISTICS)),
  worked: field("worked", flag),
  through: field("through", flag),
  number: field("number", cell),
  zoom: field("zoom", zoom),
  pool: field("pool", oneOf("mean", "largest")),
  shade: field("shade", oneOf("linear", "log")),
};

function field<T>(key: string, codec: Codec<T>): [string, Codec<never>] {
  return [key, codec as Codec<unknown> as Codec<never>];
}

const NAMES = new Map(Object.entries(modelFields).map(([name, [key]]) => [key, name as keyof ModelLook]));

/** The pairs of an address that stand for `look`. */
export function writeModel(look: ModelLook | undefined): string[] {
  if (look === undefined) return [];
  return Object.entries(modelFields).flatMap(([name, [key, codec]]) => {
    const value = look[name as keyof ModelLook];
    return value === undefined ? [] : [`${key}=${codec.write(value as never)}`];
  });
}

/** Whether `key` belongs to the Model part. */
export function isModelKey(key: string): boolean {
  return NAMES.has(key);
}

/** Reads one of its pairs into `look`; throws Unreadable. */
export function readModel(look: Partial<ModelLook>, key: string, written: string): void {
  const name = NAMES.get(key);
  if (name !== undefined) Object.assign(look, { [name]: modelFields[name][1].read(written) });
}
