import type { Host } from "../../hosts/host";
import { headOf, type ModelLook, runOf } from "../../state/model";
import type { Digits, Model } from "../../wire/types";
import { Question } from "./question";

export interface AskingHandlers {
  /** Which models there are is known now, or that there are none. */
  known(): void;
  /** How far the model is, or what it made of the text: what else is asked depends on it. */
  read(): void;
  /** An answer about one head. */
  draw(): void;
}

/** All that the part on models asks of the session, one thing after another. */
export class ModelAsking {
  readonly models: Question<"models">;
  readonly model: Question<"model">;
  readonly head: Question<"head">;
  readonly walk: Question<"headwalk">;
  readonly number: Question<"explanation">;
  readonly rollout: Question<"rollout">;

  constructor(host: Host, { known, read, draw }: AskingHandlers) {
    this.models = new Question(host, "models", known);
    this.model = new Question(host, "model", read);
    this.head = new Question(host, "head", draw);
    this.walk = new Question(host, "headwalk", draw);
    this.number = new Question(host, "explanation", draw);
    this.rollout = new Question(host, "rollout", draw);
  }

  /** The reading, where it is too long for a map of every weight. */
  get long(): Model | null {
    const data = this.model.current ? this.model.answer?.data : undefined;
    return data?.long ? data : null;
  }

  /** Whether the session has not said yet what it makes of the first text, nor how far it is. */
  get unknown(): boolean {
    const { answer, working, trouble } = this.model;
    return answer === null && working === null && trouble === null;
  }

  /** Asks again for what has no answer because the session went away. */
  retry(): void {
    for (const one of [this.models, this.model, ...this.ofHead]) one.retry();
  }

  /** Asks for what a look needs and is not known yet; whether its text has been read. */
  want(look: ModelLook | undefined, digits: Digits): boolean {
    this.model.want(look ? { ask: "model", state: runOf(look) } : null);
    if (look === undefined) this.forget();
    else if (this.model.current) this.askOfHead(look, digits);
    return look !== undefined && this.model.current;
  }

  /** What is waited for, or "". */
  busyText(look: ModelLook | undefined): string {
    if (!this.model.busy) return "";
    const first = this.model.answer === null ? " A large model takes a while to open the first time." : "";
    return `${this.titleOf(look?.model ?? "")} is reading the text …${first}`;
  }

  titleOf(model: string): string {
    return this.models.answer?.data.models.find(({ name }) => name === model)?.title ?? model;
  }

  private get ofHead() {
    return [this.head, this.walk, this.number, this.rollout];
  }

  private forget(): void {
    for (const one of this.ofHead) one.want(null);
  }

  private askOfHead(look: ModelLook, digits: Digits): void {
    const state = headOf(look);
    const explain = { ask: "explain" as const, state, digits };
    if (this.long) {
      for (const one of [this.head, this.walk, this.rollout]) one.want(null);
      this.number.want(look.number ? { ...explain, ...look.number } : null);
      return;
    }
    this.head.want({ ask: "head", state });
    const query = look.query === undefined ? {} : { query: look.query };
    this.walk.want(look.worked ? { ask: "headwalk", state, ...query } : null);
    this.number.want(look.worked && look.number ? { ...explain, ...look.number } : null);
    this.rollout.want(
      look.through
        ? { ask: "rollout", state, position: Math.min(look.query ?? Infinity, this.last(look)) }
        : null,
    );
  }

  /** The last position of the tower that is shown. */
  private last({ tower }: ModelLook): number {
    const data = this.model.answer?.data;
    const shown = data?.towers.find(({ name }) => name === (tower ?? data.main));
    return (shown?.queries.length ?? 1) - 1;
  }
}
