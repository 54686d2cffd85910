import type { Signal } from "../state/signal";
import type { Message, Reply } from "../wire/types";

/** Whether the session can be reached at the moment: its end is "lost", and one that does not answer is "silent". */
export type Connection = "connecting" | "open" | "lost" | "silent";

/**
 * Where a page is at home: something that carries messages to a session and its replies back.
 * Every host does the same for the views, so that they need not know which one they live in.
 */
export interface Host {
  /**
   * Ask all messages in one request; the replies come in the same order.
   * Rejects with ConnectionLost when the session went away first.
   */
  ask(messages: Message[]): Promise<Reply[]>;
  readonly status: Signal<Connection>;
  /**
   * Whether a message can be answered. Only a host that cannot answer every message has this; the page then leaves out
   * what would lead to a message without an answer, and nothing can be typed into it.
   */
  holds?(message: Message): boolean;
  /** The steps of a training that it holds, in order; only a host that does not hold every one has this. */
  readonly steps?: readonly number[];
  /** What to tell where the session cannot be reached, if it is no server that has stopped. */
  readonly says?: Partial<Record<Connection, string>>;
}

export class ConnectionLost extends Error {
  constructor() {
    super("The session went away before it answered.");
    this.name = "ConnectionLost";
  }
}
