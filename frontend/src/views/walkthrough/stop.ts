import { h, replace, uniqueId } from "../../draw/dom";
import { inline } from "../../draw/inline";
import { displayFormula } from "../../draw/mathml";
import type { Picture } from "../../state/picture";
import type { Stop } from "../../wire/types";
import { type AsideSection, asideSection } from "./aside";
import { figuresOf } from "./figure";
import { FigureSet } from "./figureset";
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
}

/** One stop of the walkthrough: its prose, formulas, switch, matrices and asides. */
export function stopSection(id: string, control: HTMLElement | null, handlers: StopHandlers): StopSection {
  const headingId = uniqueId("stop");
  const heading = h("h2", { id: headingId, tabindex: "-1" });
  const prose = h("div", { class: "prose" });
  const formulas = h("div", { class: "formulas" });
  const matrices = h("div", { class: "stop-matrices" });
  const asides = h("div", { class: "stop-asides" });
  const element = h(
    "section",
    { class: "stop", "aria-labelledby": headingId, dataset: { stop: id } },
    heading,
    prose,
    formulas,
    control,
    matrices,
    asides,
  );
  const sets = new Map<string, FigureSet>();
  const asideSections = new Map<string, AsideSection>();
  const drawn = { words: "", rows: "" };
  reachWideFormulas(element);

  function drawWords(stop: Stop): void {
    const words = JSON.stringify([stop.title, stop.text, stop.formulas]);
    if (words === drawn.words) return;
    drawn.words = words;
    heading.textContent = stop.title;
    replace(
      prose,
      stop.text.map((paragraph) => h("p", null, inline(paragraph))),
    );
    replace(formulas, stop.formulas.map(displayFormula));
    if (element.isConnected) markWideFormulas(element);
  }

  function drawMatrices(stop: Stop, scene: Scene): void {
    const names = stop.quantities.filter((name) => scene.picture.quantities.has(name));
    for (const name of [...sets.keys()]) if (!names.includes(name)) sets.delete(name);
    for (const name of names) {
      const set = sets.get(name) ?? new FigureSet(handlers);
      sets.set(name, set);
      const drawable = scene.picture.quantities.get(name)!;
      set.draw(figuresOf(id, drawable, scene.picture, scene.query), scene.picture, scene.look);
    }
    const rows = rowsOf(names, scene.picture);
    const signature = JSON.stringify(rows);
    if (signature === drawn.rows) return;
    drawn.rows = signature;
    replace(
      matrices,
      rows.map((row) =>
        h(
          "div",
          { class: "matrices" },
          row.map((name) => sets.get(name)!.element),
        ),
      ),
    );
  }

  function drawAsides(stop: Stop, scene: Scene): void {
    for (const aside of stop.asides ?? []) {
      let section = asideSections.get(aside.id);
      if (!section) {
        section = asideSection(handlers);
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
      drawMatrices(stop, scene);
      drawAsides(stop, scene);
    },
    updateHidden(stop, scene) {
      for (const aside of stop.asides ?? []) asideSections.get(aside.id)?.updateHidden(aside, scene);
    },
    sets: () => [...sets.values(), ...[...asideSections.values()].flatMap((section) => section.sets())],
  };
}

/** Matrices in lines: a matrix that a person gives (E, P, W_Q ...) starts a new line, and what is made of it follows. */
function rowsOf(names: string[], picture: Picture): string[][] {
  const rows: string[][] = [];
  for (const name of names) {
    const last = rows[rows.length - 1];
    if (!last || picture.quantities.get(name)?.about.editable) rows.push([name]);
    else last.push(name);
  }
  return rows;
}
