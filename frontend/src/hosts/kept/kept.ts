/** A host that has its answers with it: a page that was saved, and is opened where no session is. */
import { explanation } from "../../reading/explain";
import { signal } from "../../state/signal";
import type { CellRef, Digits, Message, ModelState, Reply, State, Walkthrough } from "../../wire/types";
import type { Connection, Host } from "../host";
import { Cells } from "./cell";
import { compared } from "./compare";
import type { Answer, Content } from "./content";
import { keyOf, plain } from "./key";
import { mistake } from "./mistake";
import { KeptModel } from "./model";
import { remembering } from "./remember";

const ELSEWHERE =
  "This page holds what was worked out when it was saved; the command clearhead serve works out anything else.";

/** Layers whose cells are remembered. */
const LAYERS_KEPT = 8;

export function keptHost(content: Content): Host {
  return new KeptHost(content);
}

class KeptHost implements Host {
  readonly status = signal<Connection>("open");
  readonly steps: readonly number[];
  private readonly layers = remembering<Cells>(LAYERS_KEPT);
  private readonly model: KeptModel;

  constructor(private readonly content: Content) {
    this.steps = content.about.steps;
    this.model = new KeptModel(content);
  }

  async ask(messages: Message[]): Promise<Reply[]> {
    return Promise.all(
      messages.map(async (message) => (await this.answer(message)) ?? mistake(ELSEWHERE, message.ask)),
    );
  }

  holds(message: Message): boolean {
    const { state } = message as { state?: State | ModelState };
    if (state && "model" in state) return this.model.holds(message);
    return message.ask === "explain" || this.content.has(this.key(message));
  }

  private async answer(message: Message): Promise<Reply | undefined> {
    const { state } = message as { state?: State | ModelState };
    if (state && "model" in state) return this.model.answer(message);
    if (message.ask === "explain") return this.explain(message as ExplainMessage);
    const found = (await this.kept(message)) ?? this.lacking(message);
    const before = (message as { before?: State }).before;
    if (!found || !before || found.data.kind === "error" || message.ask !== "walkthrough") return found;
    const { layer } = message;
    const old = await this.kept({ ask: "walkthrough", state: before, ...(layer ? { layer } : {}) });
    return old ? compared(found as Answer, old) : found;
  }

  /** Of a layer that there is none of; another layer of the same picture says so. */
  private lacking(message: Message): Reply | undefined {
    const { layer, before: _, ...rest } = message as { layer?: number; before?: State } & Message;
    if (!layer || !this.content.has(this.key(rest as Message))) return undefined;
    return mistake(`layer: there is no layer ${layer} in this page`, "layer");
  }

  private key(message: Message): string {
    return keyOf(plain(message, this.content.about));
  }

  private kept(message: Message): Promise<Answer | undefined> {
    return this.content.answer(this.key(message));
  }

  private async explain({ state, quantity, index, digits }: ExplainMessage): Promise<Reply | undefined> {
    const layer = Number(/^layer(\d+)\./.exec(quantity)?.[1] ?? 0);
    const given = layer > 0 ? { state, layer } : { state };
    const key = this.key({ ask: "walkthrough", ...given });
    const cells = await this.layers(key, async () => {
      const picture = await this.kept({ ask: "walkthrough", ...given });
      const recipes = await this.kept({ ask: "recipes", ...given });
      return picture && recipes && Cells.ofLayer(picture as Answer & { data: Walkthrough }, recipes);
    });
    const cell = cells?.cell({ quantity, index });
    return cell ? { data: explanation(cell, digits), buffers: [] } : undefined;
  }
}

type ExplainMessage = { state: State; digits: Digits } & CellRef;
