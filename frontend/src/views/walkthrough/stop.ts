import type { Toggle } from "../../draw/controls";
import { h, replace, uniqueId } from "../../draw/dom";
import { inline } from "../../draw/inline";
import { displayFormula } from "../../draw/mathml";
import type { Aside, CellRef, Stop } from "../../wire/types";
import { type AsideSection, asideSection, COMPARISONS } from "./aside";
import { stopExtra } from "./extras";
import type { FigureSet } from "./figureset";
import { foldedAside, isBackwards } from "./foldedaside";
import { FigureLines } from "./lines";
import type { Scene, StopHandlers } from "./scene";
import { markWideFormulas, reachWideFormulas } from "./scrolling";

export interface StopSection {
  element: HTMLElement;
  heading: HTMLElement;
  /** Draws all that can be seen of the stop. */
  update(stop: Stop, scene: Scene): void;
  /** Draws what would be seen if it were opened. */
  updateHidden(stop: Stop, scene: Scene): void;
  sets(): FigureSet[];
  /** Unfolds the gradients that stand beside the stop; what is to be looked at, if there are any. */
  backwards(): HTMLElement | null;
  /** Unfolds what hides a cell; false where this stop hides none. */
  reveal(cell: CellRef): boolean;
}

/** One stop of the walkthrough: its prose, formulas, switch, matrices and asides. */
export function stopSection(
  id: string,
  control: HTMLElement | null,
  practice: Toggle | null,
  handlers: StopHandlers,
): StopSection {
  const headingId = uniqueId("stop");
  const heading = h("h2", { id: headingId, tabindex: "-1" });
  const prose = h("div", { class: "prose" });
  const formulas = h("div", { class: "formulas" });
  const extra = stopExtra(id, handlers);
  const lines = new FigureLines(id, handlers, "stop-matrices");
  const asides = h("div", { class: "stop-asides" });
  const element = h(
    "section",
    { class: "stop", "aria-labelledby": headingId, dataset: { stop: id } },
    heading,
    prose,
    formulas,
    control,
    practice?.element,
    extra?.place === "before" && extra.element,
    lines.element,
    extra?.place === "after" && extra.element,
    asides,
  );
  const asideSections = new Map<string, AsideSection>();
  let drawnWords = "";
  reachWideFormulas(element);

  function drawWords(stop: Stop): void {
    const words = JSON.stringify([stop.title, stop.text, stop.formulas]);
    if (words === drawnWords) return;
    drawnWords = words;
    heading.textContent = stop.title;
    replace(
      prose,
      stop.text.map((paragraph) => h("p", null, inline(paragraph))),
    );
    replace(formulas, stop.formulas.map(displayFormula));
    if (element.isConnected) markWideFormulas(element);
  }

  function drawAsides(given: Aside[], scene: Scene): void {
    const ids = new Set(given.map((aside) => aside.id));
    for (const [known, section] of asideSections) section.element.hidden = !ids.has(known);
    for (const aside of given) {
      let section = asideSections.get(aside.id);
      if (!section) {
        section = COMPARISONS.has(aside.id) ? asideSection(handlers) : foldedAside(aside.id, handlers);
        asideSections.set(aside.id, section);
        asides.append(section.element);
      }
      section.update(aside, scene);
    }
  }

  return {
    element,
    heading,
    update(stop, scene) {
      drawWords(stop);
      practice?.set(scene.practice === id);
      lines.draw(stop.quantities, scene);
      extra?.update(scene);
      drawAsides(stop.asides ?? [], scene);
    },
    updateHidden(stop, scene) {
      for (const aside of stop.asides ?? []) asideSections.get(aside.id)?.updateHidden(aside, scene);
    },
    sets: () => [...lines.sets(), ...[...asideSections.values()].flatMap((section) => section.sets())],
    backwards() {
      const entries = [...asideSections].filter(([aside]) => isBackwards(aside));
      const section = entries.map(([, one]) => one).find((one) => !one.element.hidden);
      section?.unfold?.();
      return section?.element ?? null;
    },
    reveal(cell) {
      const sections = [...asideSections.values()];
      const hiding = sections.find((section) => !section.element.hidden && section.holds?.(cell));
      hiding?.unfold?.();
      return hiding !== undefined;
    },
  };
}
