import { ConnectionLost, type Host } from "../../hosts/host";
import { same } from "../../state/page";
import type { Message, ViewData, WireBuffer } from "../../wire/types";

type Kind = ViewData["kind"];

export interface Answer<K extends Kind> {
  data: Extract<ViewData, { kind: K }>;
  buffers: WireBuffer[];
}

export interface Trouble {
  text: string;
  /** The field it is in: "text", "layer" ... */
  where: string;
}

/** Milliseconds until a reading that was not done is asked for again; the session itself waits for its end, a while. */
const AGAIN = 30;

/**
 * One thing that the part wants to know. What is wanted may change before the answer is there; then the old answer is
 * dropped. The last good answer stays until there is another.
 */
export class Question<K extends Kind> {
  answer: Answer<K> | null = null;
  /** The message that `answer` belongs to. */
  answered: Message | null = null;
  trouble: Trouble | null = null;
  busy = false;
  /** How far the reading is that this waits for; null where it waits for none. */
  working: Answer<"working"> | null = null;
  private wanted: Message | null = null;

  constructor(
    private readonly host: Host,
    private readonly kind: K,
    private readonly changed: () => void,
  ) {}

  /** Asks, unless this is what was asked before; null forgets the answer. */
  want(message: Message | null): void {
    if (same(message, this.wanted)) return;
    this.wanted = message;
    this.trouble = null;
    this.working = null;
    if (message === null) {
      this.answer = null;
      this.answered = null;
      this.busy = false;
    } else {
      void this.send(message);
    }
  }

  /** Whether the answer is the one to what is wanted now. */
  get current(): boolean {
    return this.answer !== null && this.answered === this.wanted;
  }

  /** Asks what has no answer because the session went away. */
  retry(): void {
    if (this.wanted !== null && !this.busy && !this.current && this.trouble === null)
      void this.send(this.wanted);
  }

  private async send(message: Message): Promise<void> {
    this.busy = true;
    let trouble: Trouble | null = null;
    try {
      const [reply] = await this.host.ask([message]);
      if (message !== this.wanted) return;
      if (reply?.data.kind === this.kind) {
        this.answer = { data: reply.data as Extract<ViewData, { kind: K }>, buffers: reply.buffers };
        this.answered = message;
      } else if (reply?.data.kind === "working") {
        this.working = { data: reply.data, buffers: reply.buffers };
        setTimeout(() => message === this.wanted && void this.send(message), AGAIN);
        this.changed();
        return;
      } else if (reply?.data.kind === "error") {
        trouble = { text: reply.data.message, where: reply.data.where };
      } else {
        trouble = { text: `The session answered ${reply?.data.kind} to ${message.ask}.`, where: "" };
      }
    } catch (failure) {
      if (message !== this.wanted) return;
      // A lost connection has its own banner, and the question is asked again when it is back.
      if (!(failure instanceof ConnectionLost)) trouble = { text: (failure as Error).message, where: "" };
    }
    this.busy = false;
    this.working = null;
    this.trouble = trouble;
    this.changed();
  }
}
