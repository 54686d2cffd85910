import { ConnectionLost, type Host } from "../hosts/host";
import type { ExampleSummary, Explanation, Message, Reply, State, ViewData } from "../wire/types";
import { type Batch, batch } from "./batch";
import { untouched, untrained } from "./changes";
import { type Page, same } from "./page";
import { cellName, holds, type Picture, picture } from "./picture";
import { type Signal, signal, type WritableSignal } from "./signal";
import type { Store } from "./store";

type Kind = ViewData["kind"];
type Data<K extends Kind> = Extract<ViewData, { kind: K }>;

/** What the session has said so far, kept in step with the store. */
export interface Conversation {
  readonly examples: Signal<readonly ExampleSummary[]>;
  /** The last good picture; it stays while a mistake is being put right or the server is away. */
  readonly picture: Signal<Picture | null>;
  readonly explanation: Signal<Explanation | null>;
  /** One sentence about what is wrong with the state now, or null. */
  readonly problem: WritableSignal<string | null>;
  /** One sentence worth telling that is no mistake, or null. */
  readonly remark: WritableSignal<string | null>;
  /**
   * A question outside the picture; null when it failed (and the sentence is in `problem`). `says` may take what is wrong
   * with the question to where it was asked; where it returns true, nothing is in `problem`.
   */
  once<K extends Kind>(
    topic: string,
    message: Message,
    kind: K,
    says?: (mistake: Data<"error">) => boolean,
  ): Promise<{ data: Data<K>; reply: Reply } | null>;
}

/**
 * The state whose numbers the next picture is compared with. A step of a training changes every number, so marking what
 * changed would mark everything: there it is asked for only where the person wants to see the differences.
 */
function comparedWith(store: Store): State | null {
  const { state, compare } = store.page.value;
  const { before } = store;
  const onlyTrained = before !== null && same(untrained(before), untrained(state));
  return onlyTrained && !compare ? null : before;
}

export function converse(
  store: Store,
  host: Host,
  soon: (run: () => void) => void,
  stop: AbortSignal,
): Conversation {
  const questions: Batch = batch(host, soon);
  const examples = signal<readonly ExampleSummary[]>([]);
  const shown = signal<Picture | null>(null);
  const explanation = signal<Explanation | null>(null);
  const problem = signal<string | null>(null);
  const remark = signal<string | null>(null);

  async function once<K extends Kind>(
    topic: string,
    message: Message,
    kind: K,
    says?: (mistake: Data<"error">) => boolean,
  ) {
    try {
      const reply = await questions.ask(topic, message);
      if (reply === null || stop.aborted) return null;
      if (reply.data.kind === kind) return { data: reply.data as Data<K>, reply };
      if (reply.data.kind === "error" && says?.(reply.data)) return null;
      problem.set(
        reply.data.kind === "error"
          ? reply.data.message
          : `The session answered ${reply.data.kind} to ${message.ask}.`,
      );
    } catch (failure) {
      // A lost connection has its own banner, and everything is asked again when it is back.
      if (!(failure instanceof ConnectionLost)) problem.set((failure as Error).message);
    }
    return null;
  }

  /** A layer that was asked for and is none; told when it is known which there are. */
  let missing: number | null = null;

  async function askPicture(): Promise<void> {
    const { state, layer } = store.page.value;
    const before = comparedWith(store);
    const message: Message = {
      ask: "walkthrough",
      state,
      ...(before ? { before } : {}),
      ...(layer > 0 ? { layer } : {}),
    };
    const answer = await once("walkthrough", message, "walkthrough", ({ where }) => {
      const absent = where === "layer" && layer > 0;
      if (absent) missing = layer;
      return absent;
    });
    if (missing !== null && answer === null) return store.chooseLayer(0);
    if (answer === null) return askFallback(state);
    if (missing !== null) say(noLayer(missing, answer.data.layers));
    missing = null;
    const next = picture(state, answer.data, answer.reply.buffers);
    store.drawn(state);
    problem.set(null);
    closeMissingCell(next);
    shown.set(next);
  }

  /** A link to a state with a mistake has no picture before it; the untouched example stands in, beside the sentence. */
  async function askFallback(state: State): Promise<void> {
    const plain = untouched(state);
    if (shown.value !== null || problem.value === null || same(plain, state)) return;
    const answer = await once("walkthrough", { ask: "walkthrough", state: plain }, "walkthrough");
    if (answer === null) return;
    store.drawn(plain);
    shown.set(picture(plain, answer.data, answer.reply.buffers));
  }

  function closeMissingCell(next: Picture): void {
    const { cell } = store.page.value;
    if (cell === null || holds(next, cell)) return;
    store.close();
    say(`There is no cell ${cellName(cell)} in this picture, so no arithmetic is open.`);
  }

  function say(sentence: string): void {
    remark.set(remark.value === null ? sentence : `${remark.value} ${sentence}`);
  }

  async function askExplanation(): Promise<void> {
    const { state, cell, digits } = store.page.value;
    if (cell === null) return explanation.set(null);
    const answer = await once("explain", { ask: "explain", state, ...cell, digits }, "explanation");
    const { cell: wanted } = store.page.value;
    if (answer !== null && same(wanted, cell)) explanation.set(answer.data);
  }

  async function askExamples(): Promise<void> {
    const answer = await once("examples", { ask: "examples" }, "examples");
    if (answer !== null) examples.set(answer.data.examples);
  }

  function askAll(): void {
    if (examples.value.length === 0) void askExamples();
    void askPicture();
    void askExplanation();
  }

  let last: Page | null = null;
  let compared = comparedWith(store);
  function follow(page: Page): void {
    const before = comparedWith(store);
    const comparedChanged = !same(before, compared);
    compared = before;
    const stateChanged = last === null || !same(last.state, page.state);
    const layerChanged = last?.layer !== page.layer;
    const cellChanged = last === null || !same(last.cell, page.cell) || last.digits !== page.digits;
    last = page;
    if (stateChanged || layerChanged || comparedChanged) void askPicture();
    if (stateChanged || cellChanged) void askExplanation();
  }

  const leave = [store.page.subscribe(follow), host.status.subscribe((now) => now === "open" && askAll())];
  stop.addEventListener("abort", () => {
    for (const run of leave) run();
  });
  last = store.page.value;
  if (host.status.value === "open") askAll();

  return { examples, picture: shown, explanation, problem, remark, once };
}

function noLayer(asked: number, layers: number): string {
  const there = layers === 1 ? "this has one layer, layer 0" : `this has the layers 0 to ${layers - 1}`;
  return `There is no layer ${asked}: ${there}.`;
}
