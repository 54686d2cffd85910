import { layerOf } from "../draw/layers";
import type { CellRef, Digits, Edit, Optimizer, State, TrainingPlan } from "../wire/types";
import { type Codec, flag, index, joinParts, list, number, oneOf, parts, text, Unreadable } from "./codec";
import type { ModelLook } from "./model";
import { isModelKey, readModel, writeModel } from "./modelurl";
import { type Page, startingPage } from "./page";

const PARAMETER = /^(layer\d+\.)?(E|P|W_[QKVOGU12]|b_[12]|(gain|bias)_(1|2|final))$/;

const parameter: Codec<string> = {
  write: (value) => text.write(value),
  read(written) {
    const name = text.read(written);
    if (!PARAMETER.test(name))
      throw new Unreadable(`says “${name}” where a parameter such as E, W_Q or layer1.b_2 was expected`);
    return name;
  },
};

/** The empty word has a mark of its own, so that [""] and [] stay apart; encodeURIComponent never writes a bare +. */
const EMPTY_WORD = "+";

const word: Codec<string> = {
  write: (value) => (value === "" ? EMPTY_WORD : text.write(value)),
  read: (written) => (written === EMPTY_WORD ? "" : text.read(written)),
};

const row: Codec<[string, number[]]> = {
  write: ([name, numbers]) => joinParts([word.write(name), ...numbers.map(number.write)]),
  read(written) {
    const [name = "", ...numbers] = parts(written);
    return [word.read(name), numbers.map(number.read)];
  },
};

const rows: Codec<Record<string, number[]>> = {
  write: (value) => list(row).write(Object.entries(value)),
  read: (written) => Object.fromEntries(list(row).read(written)),
};

const edit: Codec<Edit> = {
  write: (value) =>
    joinParts([
      parameter.write(value.matrix),
      typeof value.row === "string" ? word.write(value.row) : index.write(value.row),
      index.write(value.column),
      number.write(value.value),
    ]),
  read(written) {
    const [name = "", at = "", column = "", value = "", more] = parts(written);
    if (value === "" || more !== undefined) {
      throw new Unreadable(`holds “${written}” where matrix:row:column:value was expected`);
    }
    const where = parameter.read(name);
    return {
      matrix: where,
      row: where === "E" ? word.read(at) : index.read(at),
      column: index.read(column),
      value: number.read(value),
    };
  },
};

const cell: Codec<CellRef> = {
  write: (value) => joinParts([text.write(value.quantity), ...value.index.map(index.write)]),
  read(written) {
    const [name = "", ...position] = parts(written);
    return { quantity: text.read(name), index: position.map(index.read) };
  },
};

const optimizer = oneOf<Optimizer>("sgd", "momentum", "adamw");

const training: Codec<TrainingPlan> = {
  write: (value) =>
    joinParts([
      optimizer.write(value.optimizer),
      number.write(value.learning_rate),
      index.write(value.steps),
    ]),
  read(written) {
    const [how = "", rate = "", steps = "", more] = parts(written);
    if (steps === "" || more !== undefined)
      throw new Unreadable(`holds “${written}” where optimizer:learning rate:steps was expected`);
    return { optimizer: optimizer.read(how), learning_rate: number.read(rate), steps: index.read(steps) };
  },
};

const positive: Codec<number> = {
  write: number.write,
  read(written) {
    const value = number.read(written);
    if (value <= 0) throw new Unreadable(`holds “${written}” where a number above 0 was expected`);
    return value;
  },
};

type Fields<T> = { [K in keyof Required<T>]: Codec<NonNullable<T[K]>> };

/** Each field of the computation's state, once: its name here is its name in the address. */
export const stateFields: Fields<State> = {
  example: text,
  tokens: list(word),
  rows,
  edits: list(edit),
  mask: oneOf("none", "causal"),
  mask_fill: oneOf("-inf", "0"),
  scale: flag,
  heads: index,
  positions: oneOf("none", "sinusoidal", "learned", "rotary", "alibi"),
  scale_embeddings: flag,
  norm: oneOf("none", "layer", "rms"),
  norm_place: oneOf("pre", "post"),
  activation: oneOf("relu", "gelu", "gelu_tanh", "swiglu"),
  temperature: positive,
  training,
  step: index,
};

/** A whole state inside one field: an address of its own, encoded once more. */
const nested: Codec<State> = {
  write: (value) => text.write(writeAddress({ ...startingPage(value.example), state: value })),
  read(written) {
    const { page, problem } = readAddress(text.read(written), "");
    if (problem !== null || page.state.example === "") throw new Unreadable("does not hold a state");
    return page.state;
  },
};

/** What the person is looking at, in the same way. */
export const viewFields: Fields<Omit<Page, "state" | "model">> = {
  layer: index,
  cell,
  digits: oneOf<Digits>(2, 3, 4, "full"),
  compare: flag,
  before: nested,
  feeds: flag,
  practice: text,
};

/** The address (without its #) that reproduces `page`; fields that say nothing new are left out. */
export function writeAddress(page: Page): string {
  const { state, model, ...view } = page;
  const plain = startingPage(state.example);
  const written: string[] = [];
  write(written, stateFields, state, {});
  write<Omit<Page, "state" | "model">>(written, viewFields, view, plain);
  return [...written, ...writeModel(model)].join("&");
}

function write<T extends object>(into: string[], fields: Fields<T>, values: T, plain: Partial<T>): void {
  for (const key of Object.keys(fields) as (keyof T & string)[]) {
    const value = values[key];
    if (value === undefined || value === null || value === plain[key]) continue;
    into.push(`${key}=${(fields[key] as Codec<unknown>).write(value)}`);
  }
}

export interface ReadAddress {
  page: Page;
  /** One sentence about what could not be read, or null. The rest of the address is in `page`. */
  problem: string | null;
}

/** Read an address; a field that cannot be read is left out and told, and every other field survives. */
export function readAddress(address: string, defaultExample: string): ReadAddress {
  const page = startingPage(defaultExample);
  const problems: string[] = [];
  const model: Partial<ModelLook> = {};
  for (const pair of address.replace(/^#/, "").split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const key = at < 0 ? pair : pair.slice(0, at);
    const codec = codecOf(key);
    try {
      if (isModelKey(key)) {
        readModel(model, key, at < 0 ? "" : pair.slice(at + 1));
        continue;
      }
      if (codec === undefined) throw new Unreadable("is not a field of this page");
      const value = codec.read(at < 0 ? "" : pair.slice(at + 1));
      Object.assign(key in stateFields ? page.state : page, { [key]: value });
    } catch (problem) {
      if (!(problem instanceof Unreadable)) throw problem;
      problems.push(`its ${key} ${problem.message}`);
    }
  }
  page.layer = layerOf(page.cell?.quantity ?? "") ?? page.layer;
  if (model.model !== undefined) page.model = model as ModelLook;
  return { page, problem: problems.length === 0 ? null : sentence(problems) };
}

function codecOf(key: string): Codec<unknown> | undefined {
  if (Object.hasOwn(stateFields, key)) return stateFields[key as keyof State];
  if (Object.hasOwn(viewFields, key)) return viewFields[key as keyof typeof viewFields];
  return undefined;
}

function sentence(problems: string[]): string {
  return `Part of this link could not be read and was left out: ${problems.join("; ")}.`;
}
