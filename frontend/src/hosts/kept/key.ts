/** What a message asks, as text: the answers were kept by it (`clearhead/session/kept/kept.py`). */
import { SETTINGS } from "../../state/changes";
import type { Message, State } from "../../wire/types";
import type { About } from "./content";

/** The message without what says nothing new, and without what was before: the differences are not kept. */
export function plain(message: Message, { own }: About): object {
  const { before: _, ...asked } = message as { before?: unknown; state?: State };
  if (asked.state === undefined) return asked;
  const state: Record<string, unknown> = { ...asked.state };
  for (const name of SETTINGS) if (state[name] === own[name]) delete state[name];
  for (const name of ["edits", "rows"]) if (isEmpty(state[name])) delete state[name];
  return { ...asked, state };
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The same text for messages that ask the same: fields in alphabetical order, as the answers were kept. */
export function keyOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(keyOf).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${keyOf(one)}`).join(",")}}`;
}
