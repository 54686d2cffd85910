import type { Toggle } from "../../draw/controls";
import { h } from "../../draw/dom";
import { layerPicker } from "../../draw/layerpicker";
import type { Host } from "../../hosts/host";
import { SETTINGS, setSetting, untouched } from "../../state/changes";
import type { Conversation } from "../../state/conversation";
import { judges } from "../../state/keptsteps";
import { same } from "../../state/page";
import type { Picture } from "../../state/picture";
import type { Store } from "../../state/store";
import type { CellRef, Settings } from "../../wire/types";
import type { Part, PartMaker } from "../part";
import { type Actions, pageActions } from "./actions";
import { MessageBoard } from "./board";
import type { FigureSet, Look } from "./figureset";
import { GivenNumbers } from "./given";
import { intro } from "./intro";
import { listenForKeys } from "./keys";
import { drawLights } from "./lights";
import { arithmeticPanel } from "./panel";
import { focusCell } from "./pointing";
import { Practice, practiceToggle } from "./practice";
import { Seeker } from "./seeking";
import { type Offers, settingSwitches } from "./settings";
import { StandBack } from "./standback";
import { type StopSection, stopSection } from "./stop";
import { StopList } from "./stops";
import { historyTools, pageTools } from "./toolbar";
import { currentTokens, wordChanges } from "./words";

export interface WalkthroughNeeds {
  /** The mounted element: dialogs open inside it, and `data-drawn` on it counts the drawn pictures. */
  root: HTMLElement;
  host: Host;
  store: Store;
  talk: Conversation;
  stop: AbortSignal;
  /** What comes after the stops. */
  parts: PartMaker[];
  /** What the page was opened for is on the screen, or is not to be had. */
  shown(): void;
}

/** The walkthrough: one page, redrawn in place whenever the store or the session has news. */
export class WalkthroughView {
  readonly element: HTMLElement;
  private readonly actions: Actions;
  private readonly topSwitches;
  private readonly stopSwitches;
  private readonly intro;
  private readonly history;
  private readonly layers;
  private readonly panel;
  private readonly board: MessageBoard;
  private readonly given: GivenNumbers;
  private readonly practice: Practice;
  private readonly parts: Part[];
  private readonly stops: StopList = new StopList((id) => this.section(id));
  private readonly seeker: Seeker;
  private readonly standBack: StandBack;
  /** A page has one heading of the first rank; this one while the example's own is away. */
  private readonly title = h("h1", { class: "visually-hidden", hidden: true }, "Clearhead");
  private drawn = 0;

  constructor(private readonly needs: WalkthroughNeeds) {
    const { root, store, talk, stop } = needs;
    this.seeker = new Seeker(store, talk, this.stops, () => this.drawPage());
    this.given = new GivenNumbers(needs, () => {
      for (const set of this.sets()) set.give(this.look());
    });
    this.practice = new Practice(store);
    this.actions = pageActions(root, store, talk);
    this.topSwitches = settingSwitches(this.actions.set);
    this.stopSwitches = settingSwitches(this.actions.set);
    // A host that cannot answer everything has no answer to what a person would type.
    const kept = needs.host.holds !== undefined;
    const words = kept ? null : wordChanges(store, talk, (word) => this.board.tell(word));
    const plain = { ask: "walkthrough" as const, state: untouched(store.page.value.state) };
    const tools = pageTools({
      reset: (needs.host.holds?.(plain) ?? true) ? store.reset : null,
      script: this.actions.script,
      trace: kept ? null : () => void this.actions.trace(),
      print: () => globalThis.print(),
    });
    // One switch is of use only to those who know the step, so it stands at its stop alone.
    const top = this.topSwitches.filter((one) => one.setting !== "scale_embeddings");
    this.intro = intro(words, top, tools, stop);
    const example = { ask: "walkthrough" as const, state: store.page.value.state };
    const can = example.state.example !== "" && (needs.host.holds?.(example) ?? true);
    this.standBack = new StandBack(root, can, () => {
      this.foldExample(false);
      this.focus();
    });
    this.history = historyTools(store);
    this.layers = layerPicker(store.chooseLayer);
    this.board = new MessageBoard(
      needs,
      (word) => this.actions.typeRow(word, () => this.focusWord(word.word)),
      () => this.history.focus(),
    );
    this.panel = arithmeticPanel(store, talk, this.practice, {
      openDeeper: (cell) => this.open(cell, true),
      close: () => this.close(),
    });
    this.parts = needs.parts.map((make) =>
      make({
        ...needs,
        top: this.intro.top,
        side: this.panel.element,
        visit: (state, cell) => this.seeker.visit(state, cell),
        appeared: () => this.drawParts(),
        missing: () => this.foldExample(false),
      }),
    );
    this.element = this.frame();
    this.listen();
    this.drawPage();
  }

  /** Moves the keyboard focus to the beginning of what there is to read. */
  focus(): void {
    const instead = this.parts.find(({ id }) => id === "model") ?? this.parts[0];
    if (this.standBack.on && instead) instead.heading.focus();
    else this.intro.focus();
  }

  /** Whether the worked example stands back behind one line, because the page was opened for a model. */
  foldExample(on: boolean): void {
    if (!on && this.needs.store.page.value.state.example === "") return; // there is none
    this.standBack.set(on);
    this.title.hidden = !on;
    if (on) this.drawPage();
    else this.needs.shown();
  }

  private frame(): HTMLElement {
    const line = h(
      "div",
      { class: "walk-bar-line" },
      this.stops.barPlace,
      this.layers.element,
      this.history.element,
    );
    const bar = h("div", { class: "walk-bar" }, line, this.board.urgent.element);
    const reading = h("div", { class: "reading" }, this.stops.element, this.panel.element);
    return h(
      "main",
      { class: "walk" },
      this.standBack.element,
      this.intro.element,
      this.title,
      bar,
      this.board.remarks.element,
      reading,
    );
  }

  private listen(): void {
    const { root, host, store, talk, stop } = this.needs;
    let last = store.page.value;
    const leave = [
      store.page.subscribe((page) => {
        if (page.state !== last.state) {
          this.board.clear();
          this.given.await();
        }
        // Whoever changes the example, or opens a number of it, wants to see it.
        if (this.standBack.on && (page.state !== last.state || page.cell !== null)) this.foldExample(false);
        const look = LOOKS.some((name) => page[name] !== last[name]);
        last = page;
        // The numbers of a changed state come with its picture; until then the old ones stay as they are.
        if (look) this.drawPage();
        else this.drawControls();
      }),
      talk.picture.subscribe(() => this.drawPage()),
      talk.explanation.subscribe(() => this.drawArithmetic()),
      this.practice.changed.subscribe(() => this.drawPage()),
      talk.problem.subscribe(() => this.drawTrouble()),
      talk.remark.subscribe(() => this.board.draw()),
      host.status.subscribe(() => this.drawTrouble()),
    ];
    stop.addEventListener("abort", () => {
      for (const run of leave) run();
      this.foldExample(false);
      this.given.end();
      this.stops.end();
    });
    listenForKeys(root, { undo: store.undo, redo: store.redo, escape: () => this.close() }, stop);
  }

  private open(cell: CellRef, deeper: boolean): void {
    // Enter on the cell that is already open leads on into its arithmetic.
    if (!deeper && same(this.needs.store.page.value.cell, cell)) this.panel.focus();
    else this.seeker.open(cell, deeper);
  }

  private close(): void {
    const { cell } = this.needs.store.page.value;
    if (cell === null) return;
    const fromPanel = this.panel.holdsFocus();
    this.needs.store.close();
    if (fromPanel) focusCell(this.sets(), cell);
  }

  private focusWord(word: string): void {
    const { store, talk } = this.needs;
    this.intro.focusWord(currentTokens(store, talk).lastIndexOf(word));
  }

  private sets(): FigureSet[] {
    return this.stops.sets();
  }

  private look(): Look {
    const { digits, compare, practice } = this.needs.store.page.value;
    const picture = this.needs.talk.picture.value;
    const hides = practice && picture ? (cell: CellRef) => this.practice.hides(picture, cell) : null;
    return { digits, compare, given: this.given.state, hides };
  }

  private drawTrouble(): void {
    this.given.look();
    this.board.draw();
  }

  /** Everything but the matrices. */
  private drawControls(): void {
    const { talk } = this.needs;
    this.history.update();
    if (talk.picture.value !== null) this.drawSettings(talk.picture.value);
    this.drawArithmetic();
    this.board.draw();
  }

  private drawSettings(picture: Picture): void {
    const { store, talk } = this.needs;
    const { state, layer } = store.page.value;
    const { data } = picture;
    const settings: Settings = { ...data.settings, ...chosen(state) };
    const asItCame = [picture.state, state].every((one) => same(one, untouched(one)));
    this.intro.update(picture, currentTokens(store, talk), settings, asItCame, this.offers);
    this.layers.update(data.layers, layer);
    const stops = new Set(data.stops.map((stop) => stop.id));
    for (const one of this.stopSwitches) one.update(settings, stops, this.offers);
  }

  /** Whether there is a picture for the present state with another setting. */
  private readonly offers: Offers = (setting, value) => {
    const { host, store } = this.needs;
    const state = setSetting(store.page.value.state, setting, value as Settings[typeof setting]);
    return host.holds?.({ ask: "walkthrough", state }) ?? true;
  };

  /** Everything; the matrices near the window first. */
  private drawPage(): void {
    const picture = this.needs.talk.picture.value;
    if (picture === null) {
      // What the page was opened for does not wait for the example, which stands back.
      if (this.standBack.on)
        this.stops.arrange(
          [],
          this.parts.filter((part) => part.ahead?.()),
        );
      this.drawControls();
      return;
    }
    this.given.settle();
    this.seeker.query = Math.max(0, Math.min(this.seeker.query, picture.data.tokens.length - 1));
    const scene = {
      picture,
      look: this.look(),
      query: this.seeker.query,
      practice: this.practice.from,
    };
    const parts = this.parts.filter((part) => part.applies(picture));
    let finished = false;
    this.stops.draw(scene, parts, () => {
      finished = true;
      this.finish(picture, parts);
    });
    if (finished) return;
    this.drawControls();
    performance.mark("clearhead:seen");
  }

  /** A part has something to show only now; no matrix is drawn again for that. */
  private drawParts(): void {
    const picture = this.needs.talk.picture.value;
    if (picture === null) {
      this.drawPage();
      return;
    }
    const parts = this.parts.filter((part) => part.applies(picture));
    this.stops.arrange(picture.data.stops, parts);
    for (const part of parts) part.update(picture);
  }

  /** Every matrix is drawn: the page and its address say the same everywhere. */
  private finish(picture: Picture, parts: Part[]): void {
    this.drawControls();
    this.drawn += 1;
    this.needs.root.dataset.drawn = String(this.drawn);
    performance.mark("clearhead:drawn");
    this.seeker.arrived();
    for (const part of parts) part.update(picture);
  }

  private section(id: string): StopSection {
    const switchesHere = this.stopSwitches.filter((one) => one.stop === id).map((one) => one.element);
    const control = switchesHere.length > 0 ? h("div", { class: "settings here" }, switchesHere) : null;
    return stopSection(id, control, this.practiceButton(id), {
      open: (cell) => this.open(cell, false),
      edit: this.actions.edit,
      copy: (figure, form) => void this.actions.copyFigure(figure, form),
      chooseQuery: (query) => this.seeker.chooseQuery(query),
      jump: (stop, backwards) => this.seeker.jump(stop, backwards),
      unfolded: () => this.drawArithmetic(),
    });
  }

  /** Practice begins at a stop that makes numbers, where the session can judge them. */
  private practiceButton(id: string): Toggle | null {
    const { store, host } = this.needs;
    if (!judges(host, store.page.value.state)) return null;
    return practiceToggle((on) => store.look({ practice: on ? id : null }));
  }

  private drawArithmetic(): void {
    const { store, talk } = this.needs;
    drawLights(this.sets(), store.page.value, talk.explanation.value);
    this.panel.update();
  }
}

/** What of the page changes how every matrix is drawn, though its numbers are the same. */
const LOOKS = ["digits", "compare", "practice"] as const;

/** The settings that the person chose; they show at once, before the session has answered. */
function chosen(state: Partial<Settings>): Partial<Settings> {
  return Object.fromEntries(
    SETTINGS.filter((name) => state[name] !== undefined).map((name) => [name, state[name]]),
  );
}
