import { signal } from "../state/signal";
import { decodeFrame, encodeRequest } from "../wire/frame";
import type { Message, Reply } from "../wire/types";
import { type Connection, ConnectionLost, type Host } from "./host";

/** Milliseconds before the first and, doubling, before the last kind of attempt to connect again. */
const FIRST_RETRY = 250;
const LONGEST_RETRY = 5000;

interface Waiting {
  resolve(replies: Reply[]): void;
  reject(problem: Error): void;
}

/** A host whose session runs behind a websocket at `url`; it connects again by itself until `stop` is aborted. */
export function socketHost(url: string, stop: AbortSignal): Host {
  const status = signal<Connection>("connecting");
  const waiting = new Map<number, Waiting>();
  let socket: WebSocket;
  let nextId = 1;
  let retry = FIRST_RETRY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      retry = FIRST_RETRY;
      status.set("open");
    });
    socket.addEventListener("message", (event) => receive(event.data as ArrayBuffer));
    socket.addEventListener("close", () => lost());
  }

  function receive(bytes: ArrayBuffer): void {
    try {
      const frame = decodeFrame(bytes);
      waiting.get(frame.id)?.resolve(frame.replies);
      waiting.delete(frame.id);
    } catch (problem) {
      // An unreadable frame cannot be matched to its request, so every open request ends with its reason.
      rejectAll(problem as Error);
    }
  }

  function lost(): void {
    if (stop.aborted) return;
    status.set("lost");
    rejectAll(new ConnectionLost());
    timer = setTimeout(connect, retry);
    retry = Math.min(retry * 2, LONGEST_RETRY);
  }

  function rejectAll(problem: Error): void {
    const open = [...waiting.values()];
    waiting.clear();
    for (const request of open) request.reject(problem);
  }

  stop.addEventListener("abort", () => {
    clearTimeout(timer);
    socket.close();
    rejectAll(new ConnectionLost());
  });
  connect();

  return {
    status,
    ask(messages: Message[]): Promise<Reply[]> {
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new ConnectionLost());
      const id = nextId++;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        socket.send(encodeRequest(id, messages));
      });
    },
  };
}
