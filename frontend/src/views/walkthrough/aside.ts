import { h, replace, uniqueId } from "../../draw/dom";
import { inline } from "../../draw/inline";
import type { Aside, CellRef } from "../../wire/types";
import { FigureSet } from "./figureset";
import { rowPicker } from "./rowpicker";
import { rowFigures, wholeFigures } from "./rows";
import type { Scene, StopHandlers } from "./scene";

export interface AsideSection {
  element: HTMLElement;
  update(aside: Aside, scene: Scene): void;
  /** The matrices that are out of sight while "every row" is closed. */
  updateHidden(aside: Aside, scene: Scene): void;
  sets(): FigureSet[];
  /** Opens what is folded, where that is more than a repetition of what stands open. */
  unfold?(): void;
  /** Whether a cell is drawn in what can be unfolded. */
  holds?(cell: CellRef): boolean;
}

/** The side remarks that compare one row at a time. */
export const COMPARISONS: ReadonlySet<string> = new Set(["scaling", "contribution"]);

/** A side remark shown on the numbers at hand: one row compared, and the whole matrices on demand. */
export function asideSection(handlers: StopHandlers): AsideSection {
  const headingId = uniqueId("aside");
  const heading = h("h3", { id: headingId });
  const prose = h("div", { class: "prose" });
  const picker = rowPicker(handlers.chooseQuery);
  const rows = new FigureSet(handlers);
  const whole = new FigureSet(handlers);
  const all = h("details", { class: "whole" }, h("summary", null, "Every row"), whole.element);
  const element = h(
    "section",
    { class: "aside", "aria-labelledby": headingId },
    heading,
    prose,
    picker.element,
    rows.element,
    all,
  );
  let words = "";

  return {
    element,
    update(aside, { picture, look, query }) {
      element.dataset.aside = aside.id;
      const next = JSON.stringify([aside.title, aside.text]);
      if (next !== words) {
        words = next;
        heading.textContent = aside.title;
        replace(
          prose,
          aside.text.map((paragraph) => h("p", null, inline(paragraph))),
        );
      }
      picker.update(picture.data.tokens, query);
      rows.draw(rowFigures(aside, picture, query), picture, look);
      if (all.open) whole.draw(wholeFigures(aside, picture, query), picture, look);
    },
    updateHidden(aside, { picture, look, query }) {
      if (!all.open) whole.draw(wholeFigures(aside, picture, query), picture, look);
    },
    sets: () => [rows, whole],
  };
}
