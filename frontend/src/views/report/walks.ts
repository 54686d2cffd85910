/** Both walkthroughs of a report's smallest example, step by step, and the arithmetic of the open cell beside them. */
import { cellName, explanationPanel } from "../../draw/arithmetic";
import { button } from "../../draw/controls";
import { h } from "../../draw/dom";
import { same } from "../../state/page";
import type { CellRef, Explanation, SmallExample, WireBuffer } from "../../wire/types";
import type { PartNeeds } from "../part";
import { toClipboard } from "../walkthrough/files";
import { drawLights } from "../walkthrough/lights";
import { focusCell, pointTo } from "../walkthrough/pointing";
import { onSide, SIDES, Side, type SideName, sideOf } from "./side";
import { StepView } from "./step";

export class TwoWalks {
  readonly element: HTMLElement;
  /** Leads to the first step that differs. */
  readonly link: HTMLElement | null;
  private readonly sides: Record<SideName, Side>;
  private readonly steps: StepView[];
  private readonly panel;
  private shown: unknown = null;
  private digits: unknown = null;
  private explanation: Explanation | null = null;

  constructor(
    private readonly needs: PartNeeds,
    example: SmallExample,
    buffers: WireBuffer[],
  ) {
    const { store } = needs;
    this.sides = { yours: new Side("yours", example, buffers), right: new Side("right", example, buffers) };
    const first = example.steps.find(({ quantities }) => quantities.includes(example.step));
    this.steps = example.steps.map(
      (step) =>
        new StepView(step, this.sides, step === first && example.cell !== null, (side, cell) =>
          store.open(onSide(side, cell), false),
        ),
    );
    this.panel = explanationPanel({
      openCell: (cell) => store.open(onSide(sideOf(store.page.value.cell)?.side ?? "right", cell), true),
      close: () => this.close(),
      setDigits: (digits) => store.look({ digits }),
      showFeeds: (feeds) => store.look({ feeds }),
      copy: (kind) => void this.copy(kind),
    });
    this.panel.element.classList.add("model-arithmetic");
    needs.side.append(this.panel.element);
    needs.side.classList.add("of-walk");
    this.link = example.cell && this.makeLink({ quantity: example.step, index: example.cell });
    this.element = h(
      "section",
      { class: "report-walks", "aria-label": "both walkthroughs" },
      h("p", null, example.says),
      h(
        "p",
        { class: "legend" },
        h("span", { class: "mark-sample changed", "aria-hidden": "true" }, "0.70"),
        " differs from the other side",
      ),
      this.steps.map((step) => step.element),
    );
  }

  leave(): void {
    this.panel.element.remove();
    this.needs.side.classList.remove("of-walk", "of-model");
  }

  /** The page has news. */
  follow(): void {
    const { cell, digits, feeds } = this.needs.store.page.value;
    if (digits !== this.digits) for (const step of this.steps) step.draw(digits);
    this.digits = digits;
    this.panel.setDigits(digits);
    this.panel.setFeeds(feeds);
    const here = sideOf(cell);
    const next = [here, digits];
    if (!same(next, this.shown)) {
      this.shown = next;
      this.explain(here);
      this.come(here);
    }
    this.light(here);
  }

  private explain(here: ReturnType<typeof sideOf>): void {
    const { store, side } = this.needs;
    const { digits } = store.page.value;
    const other = here?.side === "yours" ? this.sides.right : this.sides.yours;
    this.explanation = here && this.sides[here.side].explained(here.cell, other, digits);
    side.classList.toggle("of-model", this.explanation !== null);
    if (this.explanation === null) this.panel.hide();
    else
      this.panel.show(
        this.explanation,
        store.trail.flatMap((one) => sideOf(one)?.cell ?? []),
      );
  }

  private light(here: ReturnType<typeof sideOf>): void {
    const { feeds } = this.needs.store.page.value;
    for (const side of SIDES) {
      const cell = here?.side === side ? here.cell : null;
      drawLights(this.sets(side), { cell, feeds }, cell && this.explanation);
    }
  }

  private close(): void {
    const { store } = this.needs;
    const here = sideOf(store.page.value.cell);
    const { element } = this.panel;
    const inside = element.contains(element.ownerDocument.activeElement);
    store.close();
    if (here && inside) focusCell(this.sets(here.side), here.cell);
  }

  /** Brings the open cell into sight, where it is not. */
  private come(here: ReturnType<typeof sideOf>): void {
    if (here) requestAnimationFrame(() => pointTo(this.sets(here.side), here.cell));
  }

  private sets(side: SideName) {
    return this.steps.flatMap((step) => step.sets(side));
  }

  private makeLink(cell: CellRef): HTMLElement {
    const at = { side: "right" as const, cell };
    const go = () => {
      this.needs.store.open(onSide(at.side, cell), false);
      this.come(at);
      focusCell(this.sets(at.side), cell);
    };
    return h(
      "p",
      null,
      button({ label: `to the first number that differs: ${cellName(cell)}`, onClick: go }),
    );
  }

  private async copy(kind: "text" | "latex"): Promise<void> {
    const text = this.explanation?.[kind];
    if (text === undefined) return;
    const copied = await toClipboard(text);
    this.needs.talk.remark.set(
      copied ? "Copied the arithmetic." : "The browser does not allow copying here.",
    );
  }
}
