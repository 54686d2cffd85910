import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConnectionLost, type Host } from "./host";
import { socketHost } from "./socket";

class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static made: FakeSocket[] = [];
  readyState = 0;
  binaryType = "blob";
  sent: { id: number; asks: unknown[] }[] = [];

  constructor(readonly url: string) {
    super();
    FakeSocket.made.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.end();
  }

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.dispatchEvent(new Event("open"));
  }

  end(): void {
    this.readyState = 3;
    this.dispatchEvent(new Event("close"));
  }

  receive(bytes: ArrayBuffer): void {
    this.dispatchEvent(new MessageEvent("message", { data: bytes }));
  }
}

function frame(id: number, word: string): ArrayBuffer {
  const header = { clearhead: 1, id, replies: [{ data: { kind: "suggestion", word }, buffers: [] }] };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + text.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  return bytes.buffer;
}

const newest = () => FakeSocket.made[FakeSocket.made.length - 1] as FakeSocket;
const question = { ask: "examples" as const };

let stop: AbortController;
let host: Host;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.made = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  stop = new AbortController();
  host = socketHost("ws://127.0.0.1:1/ws", stop.signal);
});

afterEach(() => {
  stop.abort();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the websocket host", () => {
  it("is connecting, then open, and reads binary frames", () => {
    expect(host.status.value).toBe("connecting");
    newest().open();
    expect(host.status.value).toBe("open");
    expect(newest().binaryType).toBe("arraybuffer");
  });

  it("gives each request the reply with its id, in whatever order they come", async () => {
    newest().open();
    const first = host.ask([question]);
    const second = host.ask([question, question]);
    expect(newest().sent.map((request) => request.asks.length)).toEqual([1, 2]);
    newest().receive(frame(2, "second"));
    newest().receive(frame(1, "first"));
    expect((await first)[0]?.data).toMatchObject({ word: "first" });
    expect((await second)[0]?.data).toMatchObject({ word: "second" });
  });

  it("refuses a question while there is no connection", async () => {
    await expect(host.ask([question])).rejects.toThrow(ConnectionLost);
  });

  it("tells open requests that the connection is lost, and connects again", async () => {
    newest().open();
    const lost = expect(host.ask([question])).rejects.toThrow(ConnectionLost);
    newest().end();
    await lost;
    expect(host.status.value).toBe("lost");
    vi.advanceTimersByTime(250);
    expect(FakeSocket.made).toHaveLength(2);
    newest().open();
    expect(host.status.value).toBe("open");
  });

  it("waits twice as long after each failure, five seconds at most, and begins anew after a success", () => {
    const waits: number[] = [];
    for (let i = 0; i < 7; i++) {
      const made = FakeSocket.made.length;
      newest().end();
      let waited = 0;
      while (FakeSocket.made.length === made) {
        vi.advanceTimersByTime(50);
        waited += 50;
      }
      waits.push(waited);
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    newest().open();
    newest().end();
    vi.advanceTimersByTime(250);
    expect(FakeSocket.made).toHaveLength(9);
  });

  it("takes a server that does not answer for twenty seconds as lost, and connects again", async () => {
    newest().open();
    const silent = newest();
    const lost = expect(host.ask([question])).rejects.toThrow(ConnectionLost);
    vi.advanceTimersByTime(19_999);
    expect(host.status.value).toBe("open");
    vi.advanceTimersByTime(1);
    await lost;
    expect(host.status.value).toBe("silent");
    expect(silent.readyState).toBe(3);
    vi.advanceTimersByTime(250);
    expect(FakeSocket.made).toHaveLength(2);
    newest().open();
    const next = host.ask([question]);
    silent.receive(new ArrayBuffer(2));
    newest().receive(frame(2, "here again"));
    expect((await next)[0]?.data).toMatchObject({ word: "here again" });
    vi.advanceTimersByTime(60_000);
    expect(host.status.value).toBe("open");
  });

  it("waits longer for a training, and as long for what waits behind it", async () => {
    newest().open();
    const training = { optimizer: "sgd" as const, learning_rate: 1, steps: 9 };
    const trained = host.ask([{ ask: "training", state: { example: "dog", training } }]);
    const behind = host.ask([question]);
    vi.advanceTimersByTime(90_000);
    expect(host.status.value).toBe("open");
    newest().receive(frame(1, "trained"));
    expect((await trained)[0]?.data).toMatchObject({ word: "trained" });
    const lost = expect(behind).rejects.toThrow(ConnectionLost);
    vi.advanceTimersByTime(20_000);
    await lost;
    expect(host.status.value).toBe("silent");
  });

  it("tells an unreadable frame to whoever waits for one", async () => {
    newest().open();
    const refused = expect(host.ask([question])).rejects.toThrow("too short to be a frame");
    newest().receive(new ArrayBuffer(2));
    await refused;
  });

  it("closes and stays closed when it is stopped", () => {
    newest().open();
    stop.abort();
    expect(newest().readyState).toBe(3);
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.made).toHaveLength(1);
  });
});
