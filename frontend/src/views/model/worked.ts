import { button } from "../../draw/controls";
import { h } from "../../draw/dom";
import type { ModelLook } from "../../state/model";
import type { Digits } from "../../wire/types";
import type { PartNeeds } from "../part";
import type { ModelAsking } from "./asking";
import { HeadWalkView } from "./walk";

/** The walkthrough of one head, and the arithmetic beside the text, which is this one's while a cell of it is open. */
export class WorkedHead {
  readonly element: HTMLElement;
  private readonly says = h("p", { class: "hint model-walking", role: "status" });
  private readonly button: HTMLButtonElement;
  private readonly view: HeadWalkView;

  constructor(
    private readonly needs: PartNeeds,
    private readonly asking: ModelAsking,
    openCell: (cell: ModelLook["number"] | null) => void,
    toggle: () => void,
  ) {
    this.view = new HeadWalkView({
      open: openCell,
      setDigits: (digits) => needs.store.look({ digits }),
      tell: (sentence) => needs.talk.remark.set(sentence),
    });
    needs.side.append(this.view.side);
    this.button = button({ label: "", onClick: toggle });
    this.element = h(
      "div",
      { class: "model-worked" },
      h("h3", null, "This head, worked"),
      this.button,
      this.says,
      this.view.element,
    );
  }

  close(): void {
    this.view.close();
  }

  leave(): void {
    this.view.side.remove();
  }

  draw(look: ModelLook, digits: Digits): void {
    const { walk, number } = this.asking;
    const { answer } = walk;
    const open = look.worked === true;
    this.button.textContent = open ? "leave the walkthrough" : "walk through this head, number by number";
    this.button.setAttribute("aria-expanded", String(open));
    const why = this.asking.model.answer?.data.walk_note ?? "";
    this.button.hidden = why !== "";
    const trouble = walk.trouble ?? number.trouble;
    const waiting = open && walk.busy ? "The numbers are on their way …" : "";
    const says = why || (trouble?.text ?? (waiting || (open ? this.notices() : "")));
    if (this.says.textContent !== says) this.says.textContent = says;
    this.view.element.hidden = !open || answer === null;
    if (open && answer) this.view.update(answer.data, answer.buffers, look, digits);
  }

  /** What stands beside the text. */
  side(look: ModelLook | undefined): void {
    const { long, number } = this.asking;
    const beside = look?.worked === true || (long !== null && look?.number !== undefined);
    const open = beside && look?.number !== undefined;
    this.needs.side.classList.toggle("of-model", open);
    this.needs.side.classList.toggle("of-walk", beside);
    this.view.explain(open ? (look?.number ?? null) : null, number.current ? number.answer!.data : null);
  }

  /** What is to be said of the walkthrough, and was not said of the head already. */
  private notices(): string {
    const said = new Set(this.asking.head.answer?.data.facts);
    return (this.asking.walk.answer?.data.notices ?? []).filter((one) => !said.has(one)).join(" ");
  }
}
