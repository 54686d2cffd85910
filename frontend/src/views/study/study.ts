import { button } from "../../draw/controls";
import { h, replace } from "../../draw/dom";
import { inLayer } from "../../draw/layers";
import { asker } from "../../state/asking";
import type { Picture } from "../../state/picture";
import type { CellRef, State, Study, StudyClaim } from "../../wire/types";
import type { Part, PartNeeds } from "../part";
import { partFrame } from "../partframe";
import {
  alikeTable,
  claimsTable,
  failuresTable,
  type KeptSteps,
  keptSteps,
  percent,
  sentenceList,
} from "./tables";

/** The example that is the study model. */
const STUDY = "study";

const SAYS = [
  "The examples above were made by hand so that they can be followed. This model was trained, on sentences of a small made " +
    "language, and nobody told it what its heads should do. Each row is something the text says that heads learn, with what " +
    "was measured on sentences that the model had never seen.",
];

/** What was found in the study model, each finding with the place where it can be seen. */
export function studyPart(needs: PartNeeds): Part {
  return new StudyPart(needs);
}

class StudyPart implements Part {
  readonly id = "study";
  readonly title = "Do heads really learn this?";
  readonly short = "Study";
  readonly element: HTMLElement;
  readonly heading: HTMLElement;
  private readonly content = h("div", { class: "study" });
  private readonly ask;
  private study: Study | null = null;
  private asked = false;
  private digits: unknown = null;
  private steps: KeptSteps | null = null;

  constructor(private readonly needs: PartNeeds) {
    const frame = partFrame(this.id, this.title, SAYS, this.content);
    this.element = frame.element;
    this.heading = frame.heading;
    this.ask = asker(needs.host);
  }

  /** A session without a study model answers with a sentence that is of no interest: then there is no such part. */
  applies(): boolean {
    if (!this.asked) void this.fetch();
    return this.study !== null;
  }

  update({ state }: Picture): void {
    const { digits } = this.needs.store.page.value;
    if (this.study === null) return;
    if (digits !== this.digits) this.draw(this.study);
    this.digits = digits;
    this.steps?.mark(keptStep(this.study, state));
  }

  private async fetch(): Promise<void> {
    this.asked = true;
    const outcome = await this.ask({ ask: "study" }, "study");
    if (outcome === null) this.asked = false; // the session was away
    if (outcome === null || typeof outcome === "string") return;
    this.study = outcome.data;
    this.needs.appeared();
  }

  private draw(study: Study): void {
    const { digits } = this.needs.store.page.value;
    this.steps = keptSteps(study, (step) => this.visit(this.sentence(study), null, step));
    replace(
      this.content,
      h("p", { class: "prose" }, summary(study)),
      claimsTable(study.claims, digits, (claim) => this.open(claim)),
      study.failures.length > 0 && failuresTable(study.failures),
      study.alike.length > 0 && alikeTable(study.alike, digits),
      h("h3", null, "See it learn"),
      h(
        "p",
        { class: "prose" },
        "Its numbers were kept at some steps of its training. Choose one, and every matrix, map and word of the page is of ",
        "the model as it was then.",
      ),
      this.steps.element,
      h("h3", null, "Walk through a sentence of its language"),
      sentenceList(study, (tokens) => this.visit(tokens, null)),
      h(
        "p",
        { class: "hint" },
        "Or type any of its words into the sentence at the top of the page. ",
        button({
          label: "go to the study model",
          kind: "quiet",
          onClick: () => this.needs.store.chooseExample(STUDY),
        }),
      ),
    );
  }

  private open({ tokens, layer, head, query, key }: StudyClaim): void {
    const cell = { quantity: inLayer("layer0.weights", layer), index: [head, query, key] };
    this.visit(tokens, cell);
  }

  /** Shows a sentence of the study model, at the end of its training or as it was at a step that was kept. */
  private visit(tokens: string[], cell: CellRef | null, step?: number): void {
    this.needs.visit({ example: STUDY, tokens, ...(step === undefined ? {} : { step }) }, cell);
  }

  /** The sentence that stands on the page, if it is one of the study model's. */
  private sentence(study: Study): string[] {
    const { example, tokens } = this.needs.store.page.value.state;
    return (example === STUDY && tokens) || study.claims[0]?.tokens || [];
  }
}

/** The step of the study model's training that a state shows: the last one, unless it names another. */
function keptStep({ kept }: Study, { example, step, training }: State): number | null {
  if (example !== STUDY || training) return null;
  return step ?? kept.at(-1) ?? null;
}

/** "A model with 30,000 parameters, trained ...: it names 96% of 2,000 held-out next words; the best possible is 98%." */
function summary(study: Study): string {
  return (
    `A model with ${study.parameters.toLocaleString("en")} parameters. ${study.trained} On ` +
    `${study.held_out.toLocaleString("en")} held-out sentences it names the next word in ${percent(study.accuracy)} of ` +
    `the places; who knows how the sentences are made can reach ${percent(study.best_possible)}.`
  );
}
