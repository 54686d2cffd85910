/** One step of both walkthroughs: what the function has on the left, the reference on the right. */
import { h } from "../../draw/dom";
import { inline } from "../../draw/inline";
import type { Digits } from "../../draw/numbers";
import type { CellRef, ReportStep } from "../../wire/types";
import type { FigureSet } from "../walkthrough/figureset";
import { toClipboard, written } from "../walkthrough/files";
import { FigureLines } from "../walkthrough/lines";
import { CALLED, SIDES, type Side, type SideName } from "./side";

const NOT_KNOWN = "Not known: of this function only the output can be seen.";

const STATES = {
  first: ["≠", "the first step that differs"],
  differs: ["≠", "differs"],
  same: ["=", "the same"],
  unknown: ["?", "not known of yours"],
} as const;

export class StepView {
  readonly element: HTMLElement;
  private readonly lines: Record<SideName, FigureLines>;
  private digits: Digits = 2;

  constructor(
    private readonly step: ReportStep,
    private readonly sides: Record<SideName, Side>,
    first: boolean,
    open: (side: SideName, cell: CellRef) => void,
  ) {
    const lines = (side: SideName) =>
      new FigureLines(
        `report-${side}`,
        {
          open: (cell) => open(side, cell),
          edit: () => undefined,
          copy: (figure, form) => void toClipboard(written(figure, sides[side].picture, form, this.digits)),
        },
        "",
      );
    this.lines = { yours: lines("yours"), right: lines("right") };
    const state = first ? "first" : this.state();
    const [sign, word] = STATES[state];
    const tag = h("span", { class: "tag" }, h("span", { "aria-hidden": "true" }, sign), " ", word);
    this.element = h(
      "section",
      { class: `report-step ${state}`, dataset: { step: step.quantities.at(-1) ?? "" } },
      h("h3", null, inline(step.title), " ", tag),
      h(
        "div",
        { class: "report-sides" },
        SIDES.map((side) => this.side(side)),
      ),
    );
  }

  draw(digits: Digits): void {
    this.digits = digits;
    const look = { digits, compare: false, given: null, hides: null, marked: "differs from the other side" };
    for (const side of SIDES)
      this.lines[side].draw(this.step.quantities, {
        picture: this.sides[side].picture,
        ...{ look, query: 0, practice: null },
      });
  }

  sets(side: SideName): FigureSet[] {
    return this.lines[side].sets();
  }

  private side(side: SideName): HTMLElement {
    const known = this.step.quantities.some((name) => this.sides[side].has(name));
    return h(
      "div",
      { class: "report-side" },
      h("h4", null, CALLED[side]),
      known ? this.lines[side].element : h("p", { class: "hint" }, NOT_KNOWN),
    );
  }

  private state(): keyof typeof STATES {
    const { yours, right } = this.sides;
    if (this.step.quantities.some((name) => right.differs(name) > 0)) return "differs";
    return this.step.quantities.every((name) => yours.has(name)) ? "same" : "unknown";
  }
}
