import type { Conversation } from "../../state/conversation";
import { same } from "../../state/page";
import type { Store } from "../../state/store";
import type { CellRef, State } from "../../wire/types";
import { alignTop } from "./aligning";
import { isShown, pointTo } from "./pointing";
import type { StopList } from "./stops";

/** Brings cells and steps into sight: those in another row, in another layer, or in what is folded, too. */
export class Seeker {
  /** The query row that comparisons are about. */
  query = 0;
  /** A cell to bring into sight as soon as everything is drawn; at first the one that a link opens. */
  private wanted: CellRef | null;

  constructor(
    private readonly store: Store,
    private readonly talk: Conversation,
    private readonly stops: StopList,
    private readonly redraw: () => void,
  ) {
    this.wanted = store.page.value.cell;
  }

  /** Opens a cell. One that was reached from another (`deeper`) is also brought into sight. */
  open(cell: CellRef, deeper: boolean): void {
    const { layer } = this.store.page.value;
    this.store.open(cell, deeper);
    if (this.store.page.value.layer !== layer) {
      this.wanted = cell; // its layer's picture is on its way
      return;
    }
    const redrawn = this.showRowOf(cell);
    if (deeper && redrawn) this.wanted = cell;
    else if (deeper) this.point(cell);
  }

  /** Shows another state, and there one cell or, without one, the beginning. */
  visit(state: State, cell: CellRef | null): void {
    const { page } = this.store;
    const { state: before, layer } = page.value;
    this.store.visit(state, cell);
    this.wanted = cell;
    if (cell === null) this.jump(this.stops.first ?? "", false);
    else if (same(before, page.value.state) && layer === page.value.layer) this.arrived();
  }

  /** Leads to a stop, or to the gradients beside it. */
  jump(id: string, backwards: boolean): void {
    const section = this.stops.section(id);
    const beside = backwards ? section?.backwards() : null;
    if (beside) beside.querySelector("summary")?.focus({ preventScroll: true });
    else section?.heading.focus({ preventScroll: true });
    const target = beside ?? section?.element;
    if (target) alignTop(target);
  }

  chooseQuery(query: number): void {
    this.query = query;
    this.redraw();
  }

  /** Everything is drawn. */
  arrived(): void {
    if (this.wanted === null || this.showRowOf(this.wanted)) return;
    this.point(this.wanted);
    this.wanted = null;
  }

  private point(cell: CellRef): void {
    if (!isShown(this.stops.sets(), cell)) this.stops.reveal(cell);
    pointTo(this.stops.sets(), cell);
  }

  /** A cell in a row that the comparisons do not show at the moment makes its row the chosen one; true if it did. */
  private showRowOf(cell: CellRef): boolean {
    const about = this.talk.picture.value?.quantities.get(cell.quantity)?.about;
    const row = cell.index[about?.axes.indexOf("query") ?? -1];
    if (row === undefined || row === this.query || isShown(this.stops.sets(), cell)) return false;
    this.chooseQuery(row);
    return true;
  }
}
