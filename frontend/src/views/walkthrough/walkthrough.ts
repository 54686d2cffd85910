import { h } from "../../draw/dom";
import type { Host } from "../../hosts/host";
import { untouched } from "../../state/changes";
import type { Conversation } from "../../state/conversation";
import { same } from "../../state/page";
import type { Store } from "../../state/store";
import type { CellRef, Settings, State } from "../../wire/types";
import { type Actions, pageActions } from "./actions";
import type { FigureSet, Look } from "./figureset";
import { intro } from "./intro";
import { listenForKeys } from "./keys";
import { drawLights } from "./lights";
import { urgentMessages } from "./messages";
import { notices } from "./notices";
import { arithmeticPanel } from "./panel";
import { focusCell, isShown, pointTo } from "./pointing";
import { settingSwitches } from "./settings";
import { type StopSection, stopSection } from "./stop";
import { StopList } from "./stops";
import { historyTools, pageTools } from "./toolbar";
import { currentTokens, type NewWord, wordChanges } from "./words";

export interface WalkthroughNeeds {
  /** The mounted element: dialogs open inside it, and `data-drawn` on it counts the drawn pictures. */
  root: HTMLElement;
  host: Host;
  store: Store;
  talk: Conversation;
  stop: AbortSignal;
}

/** Milliseconds after which a typed number is shown without its picture: most pictures come sooner, and nothing blinks. */
const PATIENCE = 400;

/** The walkthrough of one attention layer: one page, redrawn in place whenever the store or the session has news. */
export class WalkthroughView {
  readonly element: HTMLElement;
  private readonly actions: Actions;
  private readonly topSwitches;
  private readonly stopSwitches;
  private readonly intro;
  private readonly history;
  private readonly panel;
  private readonly urgent = notices("messages", () => this.history.focus());
  private readonly remarks = notices("notes on this picture", () => this.history.focus());
  private readonly stops = new StopList((id) => this.section(id));
  private newWord: NewWord | null = null;
  private query = 0;
  private drawn = 0;
  /** The state whose numbers stand in their cells before they are computed, and the wait until they do. */
  private given: State | null = null;
  private patience: ReturnType<typeof setTimeout> | undefined;
  /** A cell to bring into sight as soon as everything is drawn; at first the one that a link opens. */
  private wanted: CellRef | null;

  constructor(private readonly needs: WalkthroughNeeds) {
    const { root, store, talk } = needs;
    this.wanted = store.page.value.cell;
    this.actions = pageActions(root, store, talk);
    this.topSwitches = settingSwitches(this.actions.set);
    this.stopSwitches = settingSwitches(this.actions.set);
    const words = wordChanges(store, talk, (word) => this.tell(word));
    const tools = pageTools({
      reset: store.reset,
      script: this.actions.script,
      trace: () => void this.actions.trace(),
      print: () => globalThis.print(),
    });
    // One switch is of use only to those who know the step, so it stands at its stop alone.
    const top = this.topSwitches.filter((one) => one.setting !== "scale_embeddings");
    this.intro = intro(words, top, tools, needs.stop);
    this.history = historyTools(store);
    this.panel = arithmeticPanel(store, talk, {
      openDeeper: (cell) => this.open(cell, true),
      close: () => this.close(),
    });
    this.element = this.frame();
    this.listen();
    this.drawPage();
  }

  /** Moves the keyboard focus to the beginning of the walkthrough. */
  focus(): void {
    this.intro.heading.focus();
  }

  private frame(): HTMLElement {
    const line = h("div", { class: "walk-bar-line" }, this.stops.barPlace, this.history.element);
    const bar = h("div", { class: "walk-bar" }, line, this.urgent.element);
    const reading = h("div", { class: "reading" }, this.stops.element, this.panel.element);
    return h("main", { class: "walk" }, this.intro.element, bar, this.remarks.element, reading);
  }

  private listen(): void {
    const { root, host, store, talk, stop } = this.needs;
    let last = store.page.value;
    const leave = [
      store.page.subscribe((page) => {
        // What was said about the picture before this change is old news.
        if (page.state !== last.state) {
          this.newWord = null;
          talk.remark.set(null);
          this.awaitPicture();
        }
        const look = page.digits !== last.digits || page.compare !== last.compare;
        last = page;
        // The numbers of a changed state come with its picture; until then the old ones stay as they are.
        if (look) this.drawPage();
        else this.drawControls();
      }),
      talk.picture.subscribe(() => this.drawPage()),
      talk.explanation.subscribe(() => this.drawArithmetic()),
      talk.problem.subscribe(() => this.drawTrouble()),
      talk.remark.subscribe(() => this.drawMessages()),
      host.status.subscribe(() => this.drawTrouble()),
    ];
    stop.addEventListener("abort", () => {
      for (const run of leave) run();
      clearTimeout(this.patience);
      this.stops.end();
    });
    listenForKeys(root, { undo: store.undo, redo: store.redo, escape: () => this.close() }, stop);
  }

  private open(cell: CellRef, deeper: boolean): void {
    const { store } = this.needs;
    const open = store.page.value.cell;
    // Enter on the cell that is already open leads on into its arithmetic.
    if (!deeper && same(open, cell)) {
      this.panel.focus();
      return;
    }
    store.open(cell, deeper);
    const redrawn = this.showRowOf(cell);
    if (deeper && redrawn) this.wanted = cell;
    else if (deeper) pointTo(this.sets(), cell);
  }

  /** A cell in a row that the comparisons do not show at the moment makes its row the chosen one; true if it did. */
  private showRowOf(cell: CellRef): boolean {
    const about = this.needs.talk.picture.value?.quantities.get(cell.quantity)?.about;
    const row = cell.index[about?.axes.indexOf("query") ?? -1];
    if (row === undefined || row === this.query || isShown(this.sets(), cell)) return false;
    this.chooseQuery(row);
    return true;
  }

  private chooseQuery(query: number): void {
    this.query = query;
    this.drawPage();
  }

  private close(): void {
    const { cell } = this.needs.store.page.value;
    if (cell === null) return;
    const fromPanel = this.panel.holdsFocus();
    this.needs.store.close();
    if (fromPanel) focusCell(this.sets(), cell);
  }

  private tell(word: NewWord): void {
    this.newWord = word;
    this.drawMessages();
  }

  private focusWord(word: string): void {
    const { store, talk } = this.needs;
    this.intro.focusWord(currentTokens(store, talk).lastIndexOf(word));
  }

  private sets(): FigureSet[] {
    return this.stops.sets();
  }

  /** A number that was typed must not seem lost while its picture does not come. */
  private awaitPicture(): void {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.give(), PATIENCE);
    if (this.given !== null) this.give();
  }

  private give(): void {
    const { store, talk } = this.needs;
    const { state } = store.page.value;
    const next = talk.picture.value === null || same(talk.picture.value.state, state) ? null : state;
    if (same(next, this.given)) return;
    this.given = next;
    for (const set of this.sets()) set.give(this.look());
  }

  private look(): Look {
    const { digits, compare } = this.needs.store.page.value;
    return { digits, compare, given: this.given };
  }

  private drawTrouble(): void {
    if (this.inTrouble()) this.give();
    this.drawMessages();
  }

  /** No picture of the present state is to be expected soon. */
  private inTrouble(): boolean {
    const { host, talk } = this.needs;
    return talk.problem.value !== null || host.status.value === "lost" || host.status.value === "silent";
  }

  /** Everything but the matrices. */
  private drawControls(): void {
    const { store, talk } = this.needs;
    const picture = talk.picture.value;
    this.history.update();
    if (picture !== null) {
      const settings: Settings = { ...picture.data.settings, ...chosen(store.page.value.state) };
      const untouchedBoth = [picture.state, store.page.value.state].every((state) =>
        same(state, untouched(state)),
      );
      this.intro.update(picture.data, currentTokens(store, talk), settings, untouchedBoth);
      for (const one of this.stopSwitches) one.update(settings);
    }
    this.drawArithmetic();
    this.drawMessages();
  }

  /** Everything; the matrices near the window first. */
  private drawPage(): void {
    const { store, talk } = this.needs;
    const picture = talk.picture.value;
    if (picture === null) {
      this.drawControls();
      return;
    }
    const { state } = store.page.value;
    if (same(picture.state, state)) this.given = null;
    else if (this.given !== null || this.inTrouble()) this.given = state;
    this.query = Math.max(0, Math.min(this.query, picture.data.tokens.length - 1));
    const scene = { picture, look: this.look(), query: this.query };
    let finished = false;
    this.stops.draw(scene, () => {
      finished = true;
      this.finish();
    });
    if (finished) return;
    this.drawControls();
    performance.mark("clearhead:seen");
  }

  /** Every matrix is drawn: the page and its address say the same everywhere. */
  private finish(): void {
    this.drawControls();
    this.drawn += 1;
    this.needs.root.dataset.drawn = String(this.drawn);
    performance.mark("clearhead:drawn");
    if (this.wanted === null || this.showRowOf(this.wanted)) return;
    pointTo(this.sets(), this.wanted);
    this.wanted = null;
  }

  private section(id: string): StopSection {
    const switchesHere = this.stopSwitches.filter((one) => one.stop === id).map((one) => one.element);
    const control = switchesHere.length > 0 ? h("div", { class: "settings here" }, switchesHere) : null;
    return stopSection(id, control, {
      open: (cell) => this.open(cell, false),
      edit: this.actions.edit,
      copy: (figure) => void this.actions.copyFigure(figure),
      chooseQuery: (query) => this.chooseQuery(query),
    });
  }

  private drawArithmetic(): void {
    const { store, talk } = this.needs;
    drawLights(this.sets(), store.page.value, talk.explanation.value);
    this.panel.update();
  }

  private drawMessages(): void {
    const { host, store, talk } = this.needs;
    this.urgent.show(
      urgentMessages({
        host,
        store,
        talk,
        newWord: this.newWord,
        typeRow: (word) => this.actions.typeRow(word, () => this.focusWord(word.word)),
        forgetWord: () => {
          this.newWord = null;
          this.drawMessages();
        },
      }),
    );
    const { newWord } = this;
    // While the message about a new word stands in the bar, the same news is not told twice.
    const told = (talk.picture.value?.data.notices ?? []).filter(
      (text) => newWord === null || !text.includes(`“${newWord.word}”`),
    );
    this.remarks.show(told.map((text) => ({ kind: "note", text })));
  }
}

/** The settings that the person chose; they show at once, before the session has answered. */
function chosen(state: Partial<Settings>): Partial<Settings> {
  const names = ["mask", "mask_fill", "scale", "heads", "positions", "scale_embeddings"] as const;
  return Object.fromEntries(
    names.filter((name) => state[name] !== undefined).map((name) => [name, state[name]]),
  );
}
