import { ConnectionLost, type Host } from "../hosts/host";
import type { Message, ViewData, WireBuffer } from "../wire/types";

type Kind = ViewData["kind"];

/** What came of a question: an answer, a sentence about what is wrong, or null where nothing is to be told. */
export type Outcome<K extends Kind> =
  | { data: Extract<ViewData, { kind: K }>; buffers: WireBuffer[] }
  | string
  | null;

/**
 * Asks one question after another outside the picture, each in a request of its own, so that a long answer does not hold
 * up what the person changes meanwhile. When a newer one was asked, or the session went away, the outcome is null.
 */
export function asker(host: Host) {
  let turn = 0;
  return async <K extends Kind>(message: Message, kind: K): Promise<Outcome<K>> => {
    turn += 1;
    const mine = turn;
    try {
      const [reply] = await host.ask([message]);
      if (mine !== turn || reply === undefined) return null;
      if (reply.data.kind === "error") return reply.data.message;
      if (reply.data.kind !== kind) return `The session answered ${reply.data.kind} to ${message.ask}.`;
      return { data: reply.data as Extract<ViewData, { kind: K }>, buffers: reply.buffers };
    } catch (failure) {
      return mine !== turn || failure instanceof ConnectionLost ? null : (failure as Error).message;
    }
  };
}

/** The numbers in one buffer of an answer. */
export function floats(buffers: WireBuffer[], at: number): Float64Array {
  const buffer = buffers[at];
  return buffer instanceof Float64Array ? buffer : new Float64Array(0);
}
