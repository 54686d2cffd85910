/** The answers about a capture that was kept: what the Model part asks. */
import { explanation } from "../../reading/explain";
import type { CellRef, Digits, Head, Message, Model, ModelState, Reply } from "../../wire/types";
import type { Content, Numbers } from "./content";
import { KeptHead } from "./head";
import { keyOf } from "./key";
import { mistake } from "./mistake";
import { remembering } from "./remember";

/** Heads whose numbers are remembered. */
const HEADS_KEPT = 3;

/** What is asked about one head. */
type Place = Required<Pick<ModelState, "model" | "tower" | "layer" | "head" | "batch">>;

export class KeptModel {
  private readonly heads = remembering<KeptHead>(HEADS_KEPT);

  constructor(private readonly content: Content) {}

  holds(message: Message): boolean {
    const place = this.place((message as { state: ModelState }).state);
    if (place === null) return false;
    if (message.ask === "model") return true;
    const asked = message.ask === "explain" ? "headwalk" : message.ask;
    return this.content.has(keyOf({ ask: asked, state: place }));
  }

  async answer(message: Message): Promise<Reply | undefined> {
    const place = this.place((message as { state: ModelState }).state);
    if (place === null) return undefined;
    const wrong = message.ask === "model" ? null : this.wrong(place);
    if (wrong !== null) return wrong;
    switch (message.ask) {
      case "model":
        return this.content.answer(modelKey(place));
      case "head":
        return this.told(place);
      case "headwalk": {
        const head = await this.head(place);
        return head?.walk(message.query ?? head.lastQuery);
      }
      case "explain": {
        const { quantity, index, digits } = message as CellRef & { digits: Digits };
        const cell = (await this.head(place))?.cells.cell({ quantity, index });
        return cell ? { data: explanation(cell, digits), buffers: [] } : undefined;
      }
      default:
        return undefined;
    }
  }

  /** The head that a state means, with everything said that it leaves open; null where that was not kept. */
  private place(state: ModelState): Place | null {
    const batch = state.batch ?? 0;
    const model = this.content.data(modelKey({ model: state.model, batch })) as Model | undefined;
    const otherwise = state.generate || state.decoder || (state.changes ?? []).length > 0;
    if (model === undefined || otherwise || (state.text ?? model.text) !== model.text) return null;
    const tower = state.tower ?? model.main;
    const layers = model.towers.find(({ name }) => name === tower)?.layers ?? [];
    const layer = state.layer ?? layers.find(({ heads }) => heads > 0)?.number ?? 0;
    return { model: state.model, tower, layer, head: state.head ?? 0, batch };
  }

  /** What is wrong with a place, in the words of a session; null where there is such a head. */
  private wrong({ model, batch, tower, layer, head }: Place): Reply | null {
    const { towers } = this.content.data(modelKey({ model, batch })) as Model;
    const there = towers.find(({ name }) => name === tower)?.layers.filter(({ heads }) => heads > 0) ?? [];
    if (there.length === 0) return mistake(`tower: '${tower}' has no attention layer`, "tower");
    const heads = there.find(({ number }) => number === layer)?.heads;
    if (heads === undefined) {
      const numbers = there.map(({ number }) => number).join(", ");
      return mistake(`layer: ${layer} is none of this model's; expected one of ${numbers}`, "layer");
    }
    if (head < heads) return null;
    return mistake(`head: expected a whole number from 0 to ${heads - 1}, got ${head}`, "head");
  }

  /** The map of a head and how it computes; its weights are kept, or worked out. */
  private async told(place: Place): Promise<Reply | undefined> {
    const found = await this.content.answer(keyOf({ ask: "head", state: place }));
    if (found === undefined) return undefined;
    const data = found.data as Head;
    const kept = found.buffers[data.weights ?? -1];
    if (kept) {
      const whole = spread(kept, found.buffers[data.hidden] as Numbers);
      return { data, buffers: found.buffers.map((one) => (one === kept ? whole : one)) };
    }
    const worked = await this.head(place);
    return (
      worked && {
        data: { ...data, weights: found.buffers.length },
        buffers: [...found.buffers, worked.weights],
      }
    );
  }

  private head(place: Place): Promise<KeptHead | undefined> {
    const ask = (asked: string) => this.content.answer(keyOf({ ask: asked, state: place }));
    return this.heads(keyOf(place), async () => {
      const [told, walk, recipes] = await Promise.all(["head", "headwalk", "recipes"].map(ask));
      if (!told || !walk || !recipes) return undefined;
      const data = told.data as Head;
      const shares = data.sink_share === null ? undefined : told.buffers[data.sink_share];
      return new KeptHead(data, shares, walk, recipes);
    });
  }
}

/** The weights of all cells; those of hidden ones, which are 0, are mostly left out of what is kept. */
function spread(kept: Numbers, hidden: Numbers): Float64Array {
  if (kept.length === hidden.length) return Float64Array.from(kept);
  let at = 0;
  return Float64Array.from(hidden, (one) => (one === 0 ? (kept[at++] as number) : 0));
}

function modelKey({ model, batch }: { model: string; batch: number }): string {
  return keyOf({ ask: "model", state: { model, batch } });
}
