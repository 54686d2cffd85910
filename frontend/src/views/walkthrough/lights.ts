import type { Page } from "../../state/page";
import { same } from "../../state/page";
import type { CellRef, Explanation } from "../../wire/types";
import type { FigureSet, Lit } from "./figureset";

/** Lights the open cell, what it came from and, when wanted, what it goes into, wherever these cells are drawn. */
export function drawLights(
  sets: FigureSet[],
  page: Pick<Page, "cell" | "feeds">,
  explanation: Explanation | null,
): void {
  const { cell } = page;
  const told = explanation !== null && cell !== null && isAbout(explanation, cell) ? explanation : null;
  const opened: Lit[] = cell ? [{ quantity: cell.quantity, pattern: cell.index }] : [];
  const sources: Lit[] = (told?.sources ?? []).map((ref) => ({ quantity: ref.quantity, pattern: ref.index }));
  const feeds: Lit[] = !page.feeds
    ? []
    : (told?.feeds ?? []).flatMap((feed) =>
        feed.cells.map((pattern) => ({ quantity: feed.quantity, pattern })),
      );
  for (const set of sets) {
    set.light("opened", opened);
    set.light("source", sources);
    set.light("feeds", feeds);
  }
}

export function isAbout(explanation: Explanation, cell: CellRef): boolean {
  return explanation.quantity === cell.quantity && same(explanation.index, cell.index);
}
