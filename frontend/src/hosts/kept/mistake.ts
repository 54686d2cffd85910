import type { Reply } from "../../wire/types";

/** One sentence in place of an answer; `where` is the field that it is about. */
export function mistake(message: string, where: string): Reply {
  return { data: { kind: "error", message, where }, buffers: [] };
}
