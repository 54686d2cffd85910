import { parseNumber } from "../draw/numbers";

/** How one kind of value is written into an address and read back; `read` throws a sentence's end on a bad text. */
export interface Codec<T> {
  write(value: T): string;
  read(text: string): T;
}

/** The end of the sentence "The link's <field> ...": what it says and what was expected. */
export class Unreadable extends Error {}

/** Separates the parts of a value. encodeURIComponent leaves neither of them in a part, so every text survives. */
const LIST = ",";
const PART = ":";

export const text: Codec<string> = {
  write: (value) => encodeURIComponent(wellFormed(value)),
  read(written) {
    try {
      return decodeURIComponent(written);
    } catch {
      throw new Unreadable(`holds “${written}”, which is not percent-encoded text`);
    }
  },
};

export const number: Codec<number> = {
  write: (value) => (Object.is(value, -0) ? "-0" : String(value)),
  read(written) {
    const value = parseNumber(text.read(written));
    if (value === null) throw new Unreadable(`holds “${written}” where a finite number was expected`);
    return value;
  },
};

export const index: Codec<number> = {
  write: String,
  read(written) {
    if (!/^\d{1,9}$/.test(written))
      throw new Unreadable(`holds “${written}” where a whole number from 0 was expected`);
    return Number(written);
  },
};

export const flag: Codec<boolean> = {
  write: (value) => (value ? "1" : "0"),
  read(written) {
    if (written !== "0" && written !== "1")
      throw new Unreadable(`says “${written}” where 0 or 1 was expected`);
    return written === "1";
  },
};

/** One of a few named values; numbers among them are written as their digits. */
export function oneOf<T extends string | number>(...values: T[]): Codec<T> {
  return {
    write: String,
    read(written) {
      const found = values.find((value) => String(value) === written);
      if (found === undefined) throw new Unreadable(`says “${written}” where ${either(values)} was expected`);
      return found;
    },
  };
}

export function list<T>(item: Codec<T>): Codec<T[]> {
  return {
    write: (values) => values.map((value) => item.write(value)).join(LIST),
    read: (written) => (written === "" ? [] : written.split(LIST).map((part) => item.read(part))),
  };
}

/** A fixed head, then the rest: "fox:0.1:0.2" is written as the head "fox" and the list 0.1, 0.2. */
export function parts(written: string): string[] {
  return written.split(PART);
}

export function joinParts(values: string[]): string {
  return values.join(PART);
}

/** Half of a surrogate pair cannot be encoded, and no word holds one on purpose. */
function wellFormed(value: string): string {
  return value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

function either(values: readonly (string | number)[]): string {
  const all = values.map(String);
  return all.length === 1 ? all[0]! : `${all.slice(0, -1).join(", ")} or ${all[all.length - 1]}`;
}
