import { button, type Toggle } from "../../draw/controls";
import { attribute, h, replace, uniqueId } from "../../draw/dom";
import { inline } from "../../draw/inline";
import type { Conversation } from "../../state/conversation";
import { same } from "../../state/page";
import { cellName, type Picture } from "../../state/picture";
import { type Signal, signal, type WritableSignal } from "../../state/signal";
import type { Store } from "../../state/store";
import type { CellRef, Message, State } from "../../wire/types";

/**
 * Practice: from one stop on the numbers are hidden, and a person says what comes.
 *
 * A cell that was predicted, or whose number was asked for, stays open while the state is the same.
 */
export class Practice {
  /** Counts what was uncovered, for those who draw it. */
  readonly changed: Signal<number>;
  private readonly count: WritableSignal<number> = signal(0);
  private readonly uncovered = new Set<string>();
  private state: State | null = null;

  constructor(private readonly store: Store) {
    this.changed = this.count;
  }

  /** The stop from which on numbers are hidden; null while nothing is practised. */
  get from(): string | null {
    return this.store.page.value.practice;
  }

  /** Whether the number of a cell is hidden. */
  hides(picture: Picture, cell: CellRef): boolean {
    return this.hidden(picture).has(cell.quantity) && !this.uncovered.has(cellName(cell));
  }

  /** The quantities whose numbers are hidden: what is made at the stop and after it. */
  hidden(picture: Picture): ReadonlySet<string> {
    if (!same(this.state, picture.state)) {
      this.state = picture.state;
      this.uncovered.clear();
    }
    const { from } = this;
    const { stops, quantities } = picture.data;
    const start = stops.findIndex(({ id }) => id === from);
    if (start < 0) return NOTHING;
    const before = new Set(stops.slice(0, start).flatMap((stop) => stop.quantities));
    const made = quantities.filter(({ name, operation }) => operation !== "given" && !before.has(name));
    return new Set(made.map(({ name }) => name));
  }

  /** Shows the number of a cell from now on. */
  uncover(cell: CellRef): void {
    this.uncovered.add(cellName(cell));
    this.count.set(this.count.value + 1);
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** The button of a stop that begins practice, and ends it where it began. */
export function practiceToggle(onChange: (on: boolean) => void): Toggle {
  let now = false;
  const element = button({ label: "", onClick: () => onChange(!now) });
  const set = (on: boolean) => {
    now = on;
    element.textContent = on ? "stop practising" : "practise from here";
  };
  set(now);
  return { element, set };
}

/** What stands in the panel in place of the arithmetic of a hidden cell. */
export function prediction(
  cell: CellRef,
  store: Store,
  talk: Conversation,
  uncover: () => void,
): HTMLElement {
  const id = uniqueId("practice");
  const input = h("input", {
    type: "text",
    class: "text-input",
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": id,
  });
  const said = h("p", { id, class: "practice-said", role: "status" });
  const show = button({ label: "show the arithmetic", kind: "quiet", onClick: uncover });

  async function check(): Promise<void> {
    const { state, digits } = store.page.value;
    const message: Message = { ask: "practice", state, ...cell, typed: input.value, digits };
    const say = (verdict: string, says: string) => {
      said.dataset.verdict = verdict;
      replace(said, inline(says));
      attribute(input, "aria-invalid", verdict === "unread" ? "true" : null);
    };
    const answer = await talk.once("practice", message, "practice", ({ where }) => {
      if (where === "typed") say("unread", "Type a number, such as 0.25 or −2.");
      return where === "typed";
    });
    if (answer === null || !same(store.page.value.cell, cell)) return;
    const { verdict, says } = answer.data;
    say(verdict, says);
    if (verdict === "right" || verdict === "nearly") uncover();
  }

  return h(
    "form",
    {
      class: "practice",
      onsubmit: (event: Event) => {
        event.preventDefault();
        void check();
      },
    },
    h("label", { class: "field" }, h("span", null, "What comes here?"), input),
    h("div", { class: "toolbar" }, submit(), show),
    said,
  );
}

function submit(): HTMLButtonElement {
  const made = button({ label: "check", kind: "primary", onClick: () => undefined });
  made.type = "submit";
  return made;
}
