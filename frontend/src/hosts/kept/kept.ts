/** A host that has its answers with it: a page that was saved, and is opened where no session is. */
import { explanation } from "../../reading/explain";
import { SETTINGS } from "../../state/changes";
import { signal } from "../../state/signal";
import type { CellRef, Digits, Message, Reply, State, Walkthrough } from "../../wire/types";
import type { Connection, Host } from "../host";
import { KeptLayer } from "./cell";
import type { Answer, Content, Numbers } from "./content";

const ELSEWHERE =
  "This page holds what was worked out when it was saved; the command clearhead serve works out anything else.";

export function keptHost(content: Content): Host {
  return new KeptHost(content);
}

class KeptHost implements Host {
  readonly status = signal<Connection>("open");
  private readonly layers = new Map<string, KeptLayer>();

  constructor(private readonly content: Content) {}

  async ask(messages: Message[]): Promise<Reply[]> {
    return messages.map((message) => this.answer(message) ?? mistake(ELSEWHERE, message.ask));
  }

  holds(message: Message): boolean {
    return message.ask === "explain" || this.kept(message) !== undefined;
  }

  private answer(message: Message): Reply | null {
    if (message.ask === "explain") return this.explain(message as ExplainMessage);
    const found = this.kept(message);
    const before = (message as { before?: State }).before;
    if (found && before && message.ask === "walkthrough") {
      const { layer } = message;
      const old = this.kept({ ask: "walkthrough", state: before, ...(layer ? { layer } : {}) });
      if (old) return compared(found, old);
    }
    return found === undefined ? null : found;
  }

  private kept(message: Message): Answer | undefined {
    return this.content.answers.get(keyOf(plain(message, this.content)));
  }

  private explain({ state, quantity, index, digits }: ExplainMessage): Reply | null {
    const layer = this.layerOf(state, Number(/^layer(\d+)\./.exec(quantity)?.[1] ?? 0));
    const cell = layer?.cell({ quantity, index });
    return cell ? { data: explanation(cell, digits), buffers: [] } : null;
  }

  private layerOf(state: State, number: number): KeptLayer | null {
    const given = number > 0 ? { state, layer: number } : { state };
    const picture = this.kept({ ask: "walkthrough", ...given });
    const recipes = this.kept({ ask: "recipes", ...given });
    if (picture === undefined || recipes === undefined) return null;
    const key = keyOf(plain({ ask: "walkthrough", ...given }, this.content));
    let layer = this.layers.get(key);
    if (layer === undefined) {
      layer = KeptLayer.of(picture, recipes);
      this.layers.set(key, layer);
    }
    return layer;
  }
}

type ExplainMessage = { state: State; digits: Digits } & CellRef;

/** The message without what says nothing new, and without what was before: the differences are not kept. */
function plain(message: Message, { own, steps }: Content): object {
  const { before: _, ...asked } = message as { before?: unknown; state?: State };
  if (asked.state === undefined) return asked;
  const state: Record<string, unknown> = { ...asked.state };
  for (const name of SETTINGS) if (state[name] === own[name]) delete state[name];
  for (const name of ["edits", "rows"]) if (isEmpty(state[name])) delete state[name];
  // Between two steps that were kept of a training it stands where the earlier one left it.
  if (typeof state.step === "number")
    state.step = steps.filter((kept) => kept <= Number(state.step)).at(-1) ?? 0;
  return { ...asked, state };
}

/** A picture with what changed since another one. */
function compared(now: Answer, before: Answer): Reply {
  const [data, old] = [now.data, before.data] as [Walkthrough, Walkthrough];
  const buffers = [...now.buffers];
  const quantities = data.quantities.map((one) => {
    const other = old.quantities.find(({ name }) => name === one.name);
    if (other === undefined || String(other.shape) !== String(one.shape)) return { ...one, reshaped: true };
    const values = now.buffers[one.values] as Numbers;
    const earlier = before.buffers[other.values] as Numbers;
    const change = Float64Array.from(values, (value, at) => less(value, earlier[at] as number));
    if (change.every((value) => value === 0)) return one;
    return { ...one, difference: buffers.push(change) - 1 };
  });
  return { data: { ...data, quantities }, buffers: buffers };
}

/** The difference of two numbers; −∞ in both places is no change. */
function less(now: number, before: number): number {
  return now === before ? 0 : now - before;
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

function mistake(message: string, where: string): Reply {
  return { data: { kind: "error", message, where }, buffers: [] };
}
