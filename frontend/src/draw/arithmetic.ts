/**
 * The panel that unfolds a cell into its arithmetic.
 *
 * From top to bottom: the trail of opened cells, what cell this is, its formula, the numbers, the result, and where it
 * goes. It is a side panel at 1100 pixels and more, a sheet at the bottom below that (see arithmetic.css).
 */
import type { CellRef, Digits, Explanation } from "../wire/types";
import { arithmeticBody, cellName, crumbs, feedsList } from "./arithmetic-body";
import { button, type Switches, switches, toggleButton } from "./controls";
import { type Child, focused, h, replace, spoken } from "./dom";
import { layered } from "./layers";
import { displayFormula } from "./mathml";
import { briefly } from "./token";

export { cellName } from "./arithmetic-body";

export interface PanelHandlers {
  /** A factor, a leaf, a crumb or a fed cell was opened. */
  openCell(cell: CellRef): void;
  close(): void;
  setDigits(digits: Digits): void;
  showFeeds(on: boolean): void;
  copy(kind: "text" | "latex"): void;
}

export interface ExplanationPanel {
  element: HTMLElement;
  /** Shows one cell. `trail` holds every opened cell in order, this one last. */
  show(explanation: Explanation, trail: CellRef[]): void;
  /** The same of a cell whose number is not to be seen: its formula, and `question` in place of the arithmetic. */
  ask(explanation: Explanation, trail: CellRef[], question: HTMLElement): void;
  hide(): void;
  setDigits(digits: Digits): void;
  setFeeds(on: boolean): void;
}

export function explanationPanel(handlers: PanelHandlers): ExplanationPanel {
  return new Panel(handlers);
}

const DIGITS: { value: Digits; label: string }[] = [
  { value: 2, label: "2" },
  { value: 3, label: "3" },
  { value: 4, label: "4" },
  { value: "full", label: "full" },
];

const EMPTY =
  "Open any number to see where it came from: click it, or move to it with Tab and the arrow keys and press Enter.";

class Panel implements ExplanationPanel {
  readonly element: HTMLElement;
  private readonly status = h("p", { class: "visually-hidden", role: "status" });
  private readonly trail = h("nav", { class: "trail", "aria-label": "opened cells", hidden: true });
  private readonly title = h("h2", { class: "arithmetic-title", tabindex: "-1" });
  private readonly body = h("div", { class: "arithmetic-body" });
  private readonly feeds = h("div", { class: "feeds" });
  private readonly feedsButton: { element: HTMLButtonElement; set(on: boolean): void };
  private readonly digits: Switches<Digits>;
  private readonly toolbox: HTMLElement;
  private readonly section: HTMLElement;
  private readonly fold: HTMLButtonElement;
  private feedsOn = false;
  private shown: Explanation | null = null;
  private readonly open = (cell: CellRef) => this.handlers.openCell(cell);

  constructor(private readonly handlers: PanelHandlers) {
    this.feedsButton = toggleButton("where does it go", false, (on) => {
      this.setFeeds(on);
      handlers.showFeeds(on);
    });
    this.digits = switches({
      legend: "decimals",
      options: DIGITS,
      value: 2,
      onChange: (digits) => handlers.setDigits(digits),
    });
    this.fold = button({ label: "", kind: "quiet", onClick: () => this.setFolded(!this.isFolded()) });
    this.fold.classList.add("fold");
    this.toolbox = this.tools();
    this.section = this.makeSection();
    this.setFolded(false);
    // The status is outside the section: a live region must be there before its text changes.
    const empty = h("p", { class: "arithmetic-empty" }, EMPTY);
    this.element = h("div", { class: "arithmetic-host" }, this.status, this.section, empty);
    this.setFeeds(false);
  }

  private makeSection(): HTMLElement {
    const close = h(
      "button",
      {
        type: "button",
        class: "close",
        "aria-label": "close the arithmetic",
        onclick: () => this.handlers.close(),
      },
      "×",
    );
    return h(
      "section",
      {
        class: "arithmetic",
        "aria-label": "arithmetic",
        hidden: true,
        onkeydown: (event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          this.handlers.close();
        },
      },
      h("header", { class: "arithmetic-head" }, h("div", null, this.trail, this.title), this.fold, close),
      this.body,
      this.toolbox,
      this.feeds,
    );
  }

  private tools(): HTMLElement {
    const copy = (kind: "text" | "latex", label: string) =>
      button({ label, kind: "quiet", onClick: () => this.handlers.copy(kind) });
    return h(
      "div",
      { class: "arithmetic-tools" },
      this.feedsButton.element,
      this.digits.element,
      h("span", { class: "group" }, copy("text", "copy as text"), copy("latex", "copy as LaTeX")),
    );
  }

  ask(explanation: Explanation, trail: CellRef[], question: HTMLElement): void {
    const { formula, label, place } = explanation;
    const body = [formula && displayFormula(formula), question];
    this.unfold(explanation, trail, body, `${layered(label)}, ${place}: what comes here?`);
    // Nothing that would say the number is offered.
    this.toolbox.hidden = true;
    this.feeds.hidden = true;
  }

  show(explanation: Explanation, trail: CellRef[]): void {
    const wasOpen = this.body.querySelector("details")?.open === true;
    this.unfold(explanation, trail, arithmeticBody(explanation, this.open), explanation.spoken);
    const details = this.body.querySelector("details");
    if (details && wasOpen) details.open = true; // who asked for full precision once wants it for the next cell too
    this.toolbox.hidden = false;
    this.drawFeeds();
  }

  private unfold(explanation: Explanation, trail: CellRef[], body: Child[], said: string): void {
    const hadFocus = this.holdsFocus();
    const another = this.shown === null || cellName(this.shown) !== cellName(explanation);
    this.shown = explanation;
    this.trail.hidden = trail.length < 2;
    replace(this.trail, trail.length > 1 && crumbs(trail, this.open));
    const label = layered(explanation.label);
    this.section.setAttribute("aria-label", `arithmetic of ${label}`);
    replace(
      this.title,
      h("span", { class: "arithmetic-name" }, label),
      " ",
      h(
        "span",
        { class: "arithmetic-place" },
        h("bdi", { title: explanation.place }, briefly(explanation.place)),
      ),
    );
    replace(this.body, body);
    this.section.hidden = false;
    if (this.status.textContent !== said) this.status.textContent = said;
    if (another) this.section.scrollTop = 0;
    if (hadFocus) this.title.focus({ preventScroll: !another });
  }

  /** The button that led to a cell goes away with the old arithmetic; then the title takes its focus. */
  private holdsFocus(): boolean {
    const active = focused(this.element);
    return active !== null && [this.trail, this.body, this.feeds].some((part) => part.contains(active));
  }

  /** A sheet that is folded keeps the trail and the name of its cell; wide panels have no need of it (see arithmetic.css). */
  private setFolded(folded: boolean): void {
    this.section.classList.toggle("folded", folded);
    replace(this.fold, folded ? "more" : "less", spoken(" of the arithmetic"));
  }

  private isFolded(): boolean {
    return this.section.classList.contains("folded");
  }

  hide(): void {
    this.shown = null;
    this.section.hidden = true;
    this.status.textContent = "";
  }

  setDigits(digits: Digits): void {
    this.digits.set(digits);
  }

  setFeeds(on: boolean): void {
    this.feedsOn = on;
    this.feedsButton.set(on);
    this.drawFeeds();
  }

  private drawFeeds(): void {
    this.feeds.hidden = !this.feedsOn || this.shown === null;
    if (this.feedsOn && this.shown) replace(this.feeds, feedsList(this.shown.feeds, this.open));
  }
}
