import { type Connection, ConnectionLost, type Host } from "../hosts/host";
import type { Message, Quantity, Reply, State, Walkthrough } from "../wire/types";
import { signal, type WritableSignal } from "./signal";

/** A host for tests: it keeps every request until the test answers it. */
export interface FakeHost extends Host {
  status: WritableSignal<Connection>;
  requests: { messages: Message[]; answer(...replies: Reply[]): Promise<void>; lose(): Promise<void> }[];
  /** The messages of the newest request. */
  asked(): Message[];
}

export function fakeHost(): FakeHost {
  const requests: FakeHost["requests"] = [];
  return {
    status: signal<Connection>("open"),
    requests,
    asked: () => requests[requests.length - 1]?.messages ?? [],
    ask(messages) {
      return new Promise<Reply[]>((resolve, reject) => {
        requests.push({
          messages,
          answer(...replies) {
            resolve(replies);
            return settled();
          },
          lose() {
            reject(new ConnectionLost());
            return settled();
          },
        });
      });
    },
  };
}

/** Lets every promise that can go on go on. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

/** Frames that pass when the test says so. */
export function fakeFrames(): { next(run: () => void): void; pass(): Promise<void> } {
  let waiting: (() => void)[] = [];
  return {
    next: (run) => waiting.push(run),
    async pass() {
      const due = waiting;
      waiting = [];
      for (const run of due) run();
      await settled();
    },
  };
}

function quantity(name: string, axes: string[], shape: number[], values: number, editable = false): Quantity {
  return {
    name,
    axes,
    shape,
    values,
    operation: "given",
    inputs: [],
    latex: name,
    formula: null,
    editable,
    says: `what ${name} is`,
    scale: "signed",
  };
}

/** A small picture of a sentence: E with two columns, and scores of two heads. */
export function sampleWalkthrough(state: State, tokens = state.tokens ?? ["a", "b", "a"]): Reply {
  const vocabulary = ["a", "b", ...Object.keys(state.rows ?? {})];
  const count = tokens.length;
  const data: Walkthrough = {
    kind: "walkthrough",
    example: { name: state.example, title: `Example ${state.example}`, look_for: "Look." },
    tokens,
    vocabulary,
    layers: 1,
    layer: 0,
    settings: {
      heads: 2,
      head_choices: [1, 2],
      mask: state.mask ?? "none",
      mask_fill: "-inf",
      scale: state.scale ?? true,
      positions: "none",
      position_choices: ["none", "sinusoidal"],
      scale_embeddings: false,
      d_model: 2,
      d_head: 1,
      norm: "none",
      norm_place: "pre",
      activation: "relu",
      activation_choices: [],
      temperature: 1,
      predicts: false,
    },
    quantities: [
      quantity("E", ["vocabulary", "model"], [vocabulary.length, 2], 0, true),
      quantity("scores", ["head", "query", "key"], [2, count, count], 1),
    ],
    stops: [
      {
        id: "embeddings",
        title: "Input embeddings",
        short: "Embeddings",
        text: ["One."],
        formulas: [],
        quantities: ["E"],
      },
      {
        id: "scores",
        title: "Scores",
        short: "Scores",
        text: ["Two."],
        formulas: [],
        quantities: ["scores"],
      },
    ],
    notices: [],
  };
  const counting = (size: number) => Float64Array.from({ length: size }, (_, i) => i);
  return { data, buffers: [counting(vocabulary.length * 2), counting(2 * count * count)] };
}

export function mistake(message: string): Reply {
  return { data: { kind: "error", message, where: "state" }, buffers: [] };
}
