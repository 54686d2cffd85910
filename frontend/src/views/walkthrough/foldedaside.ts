import { h, replace } from "../../draw/dom";
import { inline } from "../../draw/inline";
import type { Aside, CellRef } from "../../wire/types";
import type { AsideSection } from "./aside";
import { FigureLines } from "./lines";
import type { Scene, StopHandlers } from "./scene";

/** Whether a side remark holds the gradients of its stop. */
export function isBackwards(aside: string): boolean {
  return aside.startsWith("backwards");
}

/**
 * Matrices beside a stop, folded: the gradients, and the updates of the weights. Who reads forwards is not held up, and
 * who follows the loss back finds each gradient at the step it belongs to. They are as many matrices as the whole rest of
 * the page, so they are drawn only while they are unfolded.
 */
export function foldedAside(id: string, handlers: StopHandlers): AsideSection {
  const heading = h("h3");
  const prose = h("div", { class: "prose" });
  const lines = new FigureLines(id, handlers, "folded-matrices");
  const details = h(
    "details",
    {
      ontoggle: () => {
        draw();
        handlers.unfolded();
      },
    },
    h("summary", null, heading),
    prose,
    lines.element,
  );
  const element = h("section", { class: "aside folded-aside", dataset: { aside: id } }, details);
  let latest: { aside: Aside; scene: Scene } | null = null;
  let words = "";

  function draw(): void {
    if (details.open && latest) lines.draw(latest.aside.quantities, latest.scene);
  }

  return {
    element,
    update(aside, scene) {
      latest = { aside, scene };
      const next = JSON.stringify([aside.title, aside.text]);
      if (next !== words) {
        words = next;
        replace(heading, inline(aside.title));
        replace(
          prose,
          aside.text.map((paragraph) => h("p", null, inline(paragraph))),
        );
      }
      draw();
    },
    updateHidden: () => undefined,
    sets: () => (details.open ? lines.sets() : []),
    unfold() {
      details.open = true;
      draw();
    },
    holds: (cell: CellRef) => latest?.aside.quantities.includes(cell.quantity) === true,
  };
}
