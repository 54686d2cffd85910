/** The arithmetic panel with each kind of content. */
import { explanationPanel } from "../../draw/arithmetic";
import { h } from "../../draw/dom";
import { expression } from "../../draw/expression";
import { inline } from "../../draw/inline";
import { displayFormula } from "../../draw/mathml";
import type { CellRef, Explanation } from "../../wire/types";
import * as sample from "./explanations";
import { exhibit, section } from "./section";

function panel(explanation: Explanation, trail: CellRef[], feeds = false): HTMLElement {
  const shown = explanationPanel({
    openCell: () => undefined,
    close: () => undefined,
    setDigits: () => undefined,
    showFeeds: () => undefined,
    copy: () => undefined,
  });
  shown.setFeeds(feeds);
  shown.show(explanation, trail);
  shown.element.classList.add("in-gallery");
  return shown.element;
}

export function panelStates(): HTMLElement {
  const deep: CellRef[] = [
    { quantity: "output", index: [2, 0] },
    { quantity: "mixed", index: [0, 2, 1] },
    { quantity: "weights", index: [0, 2, 1] },
  ];
  return section(
    "arithmetic",
    "Arithmetic",
    "One cell, unfolded. Every framed number is a cell that can be opened in turn. A line says = only where the numbers shown give the result shown.",
    h(
      "div",
      { class: "panels" },
      exhibit("a sum that adds up as shown", panel(sample.EXACT_SUM, [sample.EXACT_SUM], true)),
      exhibit("a sum of rounded numbers", panel(sample.ROUNDED_SUM, [sample.ROUNDED_SUM])),
      exhibit("softmax, three steps deep", panel(sample.SOFTMAX, deep)),
      exhibit("functions and powers", panel(sample.SINUSOID, [sample.SINUSOID], true)),
    ),
    exhibit(
      "other pieces of arithmetic",
      sample.PIECES.map((piece) =>
        h(
          "p",
          { class: "piece" },
          expression(piece, () => undefined),
        ),
      ),
    ),
    exhibit(
      "names in running text",
      h(
        "p",
        { class: "prose" },
        inline("Dividing by √d_head keeps row i of Q · K^T small; W_Q made it, and e^−∞ is 0."),
      ),
    ),
    exhibit("formulas", displayFormula(sample.SOFTMAX_FORMULA), displayFormula(sample.SCALE_FORMULA)),
  );
}
