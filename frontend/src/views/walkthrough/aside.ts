import { h, replace, uniqueId } from "../../draw/dom";
import type { Aside } from "../../wire/types";
import { FigureSet } from "./figureset";
import { rowPicker } from "./rowpicker";
import { rowFigures, wholeFigures } from "./rows";
import type { Scene, StopHandlers } from "./stop";

export interface AsideSection {
  element: HTMLElement;
  update(aside: Aside, scene: Scene): void;
  sets(): FigureSet[];
}

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
  // The whole matrices are many numbers that most readers never open, so they are drawn when they are.
  let drawWhole = () => {};
  all.addEventListener("toggle", () => {
    if (!all.open) return;
    drawWhole();
    handlers.relight();
  });

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
          aside.text.map((paragraph) => h("p", null, paragraph)),
        );
      }
      picker.update(picture.data.tokens, query);
      rows.draw(rowFigures(aside, picture, query), picture, look);
      drawWhole = () => whole.draw(wholeFigures(aside, picture, query), picture, look);
      if (all.open) drawWhole();
    },
    sets: () => [rows, whole],
  };
}
