/**
 * One cell: its number with the decimal point in line with its neighbours', the value as background, and its marks.
 *
 * A cell remembers what it shows and writes only what differs, so an edit that changes one row of twelve matrices costs
 * one row of DOM work.
 */
import { attribute, h } from "./dom";
import { type CellFace, type LightRole, NOT_COMPUTED } from "./matrix-model";

const SPOKEN_ROLE: Record<LightRole, string> = {
  opened: "open",
  source: "a source of the open cell",
  feeds: "fed by the open cell",
};

export class Cell {
  readonly element: HTMLTableCellElement;
  // The text node is kept and its text changed: a new node for each new number costs the browser twice the style work.
  private readonly text = document.createTextNode("");
  private readonly number = h("span", { class: "number" }, this.text);
  private difference: HTMLElement | null = null;
  private label = "";
  private shown = { text: "", pad: "", background: "", difference: "", differencePad: "", state: "" };
  private readonly roles = new Set<LightRole>();

  constructor(
    readonly row: number,
    readonly column: number,
  ) {
    this.element = h("td", { role: "gridcell" }, this.number);
  }

  /** `pads` are the invisible characters after the number and after the difference that line up their points. */
  show(face: CellFace, background: string, pads: { number: string; difference: string }): void {
    if (face.text !== this.shown.text) {
      this.shown.text = face.text;
      this.text.data = face.text;
    }
    if (pads.number !== this.shown.pad) {
      this.shown.pad = pads.number;
      setPad(this.number, pads.number);
    }
    if (background !== this.shown.background) {
      this.shown.background = background;
      // Not through a custom property: that is inherited, and costs a style pass over everything in the cell.
      this.element.style.setProperty("background-color", background);
    }
    this.showDifference(face.difference, pads.difference);
    this.showState(face);
    if (face.label !== this.label) {
      this.label = face.label;
      this.speak();
    }
  }

  private showState(face: CellFace): void {
    const state = `${face.changed} ${face.masked} ${face.pending} ${face.hidden}`;
    if (state === this.shown.state) return;
    this.shown.state = state;
    this.element.classList.toggle("changed", face.changed);
    this.element.classList.toggle("masked", face.masked);
    this.element.classList.toggle("pending", face.pending);
    this.element.classList.toggle("to-predict", face.hidden);
    attribute(this.element, "title", face.pending ? NOT_COMPUTED : face.masked ? "masked" : null);
  }

  private showDifference(text: string, pad: string): void {
    if (text === this.shown.difference && pad === this.shown.differencePad) return;
    this.shown.difference = text;
    this.shown.differencePad = pad;
    if (!this.difference) {
      this.difference = h("span", { class: "number difference" });
      this.element.append(" ", this.difference);
    }
    this.difference.textContent = text;
    setPad(this.difference, pad);
  }

  light(role: LightRole, on: boolean): void {
    if (this.roles.has(role) === on) return;
    if (on) this.roles.add(role);
    else this.roles.delete(role);
    this.element.classList.toggle(role, on);
    if (role === "opened") attribute(this.element, "aria-selected", on ? "true" : null);
    this.speak();
  }

  isLit(role: LightRole): boolean {
    return this.roles.has(role);
  }

  private speak(): void {
    const roles = [...this.roles].map((role) => SPOKEN_ROLE[role]);
    this.element.setAttribute("aria-label", [this.label, ...roles].join(", "));
  }
}

function setPad(element: HTMLElement, pad: string): void {
  if (pad) element.dataset.pad = pad;
  else delete element.dataset.pad;
}

/**
 * The invisible text that each number needs after it so that the decimal points of right-aligned numbers line up.
 * The longest tail (the point and what follows it) sets the width; a shorter one is filled with the rest of it. A number
 * with a power of ten stands at the right edge: its point means another place than its neighbours'.
 */
export function tailPads(texts: readonly string[]): string[] {
  const tails = texts.map((text) => (/[∞N]/.test(text) ? "" : text.replace(/^[+−]?\d*/, "")));
  const isPower = (tail: string) => tail.includes("e");
  const longest = tails
    .reduce((a, b) => (b.length > a.length && !isPower(b) ? b : a), "")
    .replace(/\d/g, "0");
  return tails.map((tail) => (isPower(tail) ? "" : longest.slice(tail.length)));
}

/** The characters of the longest number without a power of ten; one that has it widens its own column only. */
export function longestOrdinary(texts: readonly string[]): number {
  return texts.reduce((most, text) => (text.includes("e") ? most : Math.max(most, text.length)), 0);
}
