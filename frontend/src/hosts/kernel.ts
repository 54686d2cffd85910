/** The host of a page in a notebook: its session is in the kernel, behind the messages of a widget. */
import { signal } from "../state/signal";
import { decodeFrame, encodeRequest } from "../wire/frame";
import type { Message, Reply } from "../wire/types";
import type { WidgetModel } from "./anywidget";
import { type Connection, ConnectionLost, type Host } from "./host";

/** Milliseconds without a reply after which that is said. A kernel answers nothing while a cell of it runs. */
const PATIENCE = 5000;

export const GONE =
  "The kernel that worked this out is not running any more. Run the cell again to go on; what you see stays as it is.";
export const BUSY =
  "The kernel does not answer. If it is busy with another cell, this view goes on afterwards; if it was stopped, or the " +
  "notebook was only opened, run the cell again.";

interface Waiting {
  resolve(replies: Reply[]): void;
  reject(problem: Error): void;
}

interface FromKernel {
  kind?: unknown;
  view?: unknown;
}

export function kernelHost(model: WidgetModel, stop: AbortSignal): Host {
  const status = signal<Connection>("open");
  const waiting = new Map<number, Waiting>();
  /** Every view of a widget gets every reply to any of them. */
  const view = crypto.randomUUID?.() ?? String(Math.random());
  let patience: ReturnType<typeof setTimeout> | undefined;
  let nextId = 1;

  function receive(content: FromKernel, buffers: ArrayLike<unknown> = []): void {
    if (content?.kind !== "reply" || content.view !== view) return;
    clearTimeout(patience);
    try {
      const frame = decodeFrame(bytesOf(buffers[0]));
      const request = waiting.get(frame.id);
      waiting.delete(frame.id);
      request?.resolve(frame.replies);
    } catch (problem) {
      rejectAll(problem as Error);
    }
    status.set("open");
    if (waiting.size > 0) wait();
  }

  function wait(): void {
    clearTimeout(patience);
    patience = setTimeout(() => status.set("silent"), PATIENCE);
  }

  function lost(): void {
    clearTimeout(patience);
    status.set("lost");
    rejectAll(new ConnectionLost());
  }

  function rejectAll(problem: Error): void {
    const open = [...waiting.values()];
    waiting.clear();
    for (const request of open) request.reject(problem);
  }

  // Jupyter's own word for "the kernel was restarted or is gone"; others do not say it.
  model.on("comm_live_update", lost);
  model.on("msg:custom", receive);
  stop.addEventListener("abort", () => {
    clearTimeout(patience);
    model.off("comm_live_update", lost);
    model.off("msg:custom", receive);
    rejectAll(new ConnectionLost());
  });

  return {
    status,
    says: { lost: GONE, silent: BUSY },
    ask(messages: Message[]): Promise<Reply[]> {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        wait();
        try {
          model.send({ kind: "request", view, text: encodeRequest(id, messages) });
        } catch {
          lost(); // a kernel that is gone takes nothing any more
        }
      });
    },
  };
}

/** The bytes of a buffer, which a notebook hands over as a view into some larger one. */
function bytesOf(buffer: unknown): ArrayBuffer {
  if (buffer instanceof ArrayBuffer) return buffer;
  if (!ArrayBuffer.isView(buffer)) throw new Error("The kernel's reply came without its numbers.");
  const { buffer: whole, byteOffset, byteLength } = buffer;
  return whole.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}
