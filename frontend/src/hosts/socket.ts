import { signal } from "../state/signal";
import { decodeFrame, encodeRequest } from "../wire/frame";
import type { Message, Reply } from "../wire/types";
import { type Connection, ConnectionLost, type Host } from "./host";

/** Milliseconds before the first and, doubling, before the last kind of attempt to connect again. */
const FIRST_RETRY = 250;
const LONGEST_RETRY = 5000;
/** Milliseconds after which a request without a reply means that nobody is there any more. */
const PATIENCE = 20_000;
/** The same for a request that may have to train a model first, or to read a large one from the disk and run it. */
const LONG_PATIENCE = 240_000;

interface Waiting {
  resolve(replies: Reply[]): void;
  reject(problem: Error): void;
  /** Ends the wait for a reply that never comes. */
  patience: ReturnType<typeof setTimeout>;
  takesLong: boolean;
}

function takesLong(messages: Message[]): boolean {
  return messages.some(
    (message) => "state" in message && ("model" in message.state || message.state.training !== undefined),
  );
}

/** A host whose session runs behind a websocket at `url`; it connects again by itself until `stop` is aborted. */
export function socketHost(url: string, stop: AbortSignal): Host {
  const status = signal<Connection>("connecting");
  const waiting = new Map<number, Waiting>();
  /** The connection in use; null from its loss until the next attempt. */
  let socket: WebSocket | null = null;
  let nextId = 1;
  let retry = FIRST_RETRY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    const made = new WebSocket(url);
    socket = made;
    made.binaryType = "arraybuffer";
    made.addEventListener("open", () => {
      retry = FIRST_RETRY;
      status.set("open");
    });
    // A connection that was given up may still speak; nobody waits for that.
    made.addEventListener("message", (event) => made === socket && receive(event.data as ArrayBuffer));
    made.addEventListener("close", () => made === socket && lost());
  }

  function receive(bytes: ArrayBuffer): void {
    try {
      const frame = decodeFrame(bytes);
      const request = waiting.get(frame.id);
      waiting.delete(frame.id);
      clearTimeout(request?.patience);
      request?.resolve(frame.replies);
    } catch (problem) {
      // An unreadable frame cannot be matched to its request, so every open request ends with its reason.
      rejectAll(problem as Error);
    }
  }

  function lost(how: "lost" | "silent" = "lost"): void {
    if (stop.aborted) return;
    socket = null;
    status.set(how);
    rejectAll(new ConnectionLost());
    timer = setTimeout(connect, retry);
    retry = Math.min(retry * 2, LONGEST_RETRY);
  }

  /** An open connection to a server that says nothing: closing it could wait as long, so it is simply left. */
  function giveUp(): void {
    const silent = socket;
    lost("silent");
    silent?.close();
  }

  /** Requests are answered one after another, so one that waits behind a long one waits as long as that. */
  function patienceFor(id: number, long: boolean): ReturnType<typeof setTimeout> {
    return setTimeout(
      () => {
        const request = waiting.get(id);
        const held = [...waiting.values()].some((other) => other.takesLong);
        if (request && !long && held) request.patience = patienceFor(id, long);
        else giveUp();
      },
      long ? LONG_PATIENCE : PATIENCE,
    );
  }

  function rejectAll(problem: Error): void {
    const open = [...waiting.values()];
    waiting.clear();
    for (const request of open) {
      clearTimeout(request.patience);
      request.reject(problem);
    }
  }

  stop.addEventListener("abort", () => {
    clearTimeout(timer);
    socket?.close();
    rejectAll(new ConnectionLost());
  });
  connect();

  return {
    status,
    ask(messages: Message[]): Promise<Reply[]> {
      const open = socket;
      if (open?.readyState !== WebSocket.OPEN) return Promise.reject(new ConnectionLost());
      const id = nextId++;
      return new Promise((resolve, reject) => {
        const long = takesLong(messages);
        waiting.set(id, { resolve, reject, patience: patienceFor(id, long), takesLong: long });
        open.send(encodeRequest(id, messages));
      });
    },
  };
}
