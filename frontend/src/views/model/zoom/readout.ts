import { button } from "../../../draw/controls";
import { h, refill, replace } from "../../../draw/dom";
import { labelText, type MapLabel, type MapPlace } from "../../../draw/mapmodel";
import { type Digits, formatNumber } from "../../../draw/numbers";
import type { Look, Pool } from "../../../wire/types";
import { named, placeNamed } from "./naming";

/** The value that a cell's colour shows, where it stands for many: of so many cells. */
export interface Bin {
  rows: number;
  columns: number;
  value: number;
  pool: Pool;
}

type Labels = readonly MapLabel[];

/** "5 late → 2 said", as it is spoken */
export function placeText({ row, column }: MapPlace, rows: Labels, columns: Labels): string {
  const [from, to] = [rows[row], columns[column]];
  return from && to ? `${labelText(from, true)} → ${labelText(to, true)}` : "";
}

const orNone = (value: number | null, digits: Digits) =>
  value === null ? "no number" : formatNumber(value, digits);

/** "weight 0.5 = exp(score 1.2 − log-sum-exp 1.9)", or why there is none. */
export function lookText({ weight, score, lse, hidden }: Look, digits: Digits): string {
  if (hidden !== "") return `hidden: ${hidden.replace(/\.$/, "")}`;
  const made = `exp(score ${orNone(score, digits)} − log-sum-exp ${orNone(lse, digits)})`;
  return `weight ${orNone(weight, digits)} = ${made}`;
}

/** Where the colour under the pointer is not that of the one cell. */
export function binText(bin: Bin | null, digits: Digits): string {
  if (!bin || bin.rows * bin.columns <= 1) return "";
  const pooled = bin.pool === "mean" ? "the mean" : "the largest";
  if (Number.isNaN(bin.value)) return `Of ${bin.rows} × ${bin.columns} weights some are no number (NaN).`;
  if (bin.value < 0) return `All ${bin.rows} × ${bin.columns} cells that this point stands for are hidden.`;
  return `The colour is ${pooled} of ${bin.rows} × ${bin.columns} weights, ${formatNumber(bin.value, digits)}.`;
}

export interface Readout {
  element: HTMLElement;
  /** The current cell, what is known of it, and what its colour stands for. */
  tell(place: MapPlace, look: Look | null, bin: Bin | null, trouble: string): void;
  /** Names the cell to a screen reader. */
  speak(place: MapPlace, look: Look): void;
  /** Where the cursor's query looks most. */
  strongest(place: MapPlace, look: Look | null): void;
  update(rows: Labels, columns: Labels, digits: Digits): void;
}

/** The current cell in words and numbers, and where else its query looks. */
export function zoomReadout(go: (place: MapPlace) => void): Readout {
  const line = h("p", { class: "map-readout" });
  const status = h("p", { class: "visually-hidden", role: "status" });
  const row = h("ul", { class: "zoom-strongest" });
  const rowName = h("p", { class: "hint" });
  let known: { rows: Labels; columns: Labels; digits: Digits } = { rows: [], columns: [], digits: 3 };
  let shown = "";

  return {
    element: h("div", { class: "zoom-readout" }, line, rowName, row, status),
    update(rows, columns, digits) {
      known = { rows, columns, digits };
      shown = "";
    },
    tell(place, look, bin, trouble) {
      const { rows, columns, digits } = known;
      const number = look ? lookText(look, "full") : trouble || "…";
      replace(
        line,
        placeNamed(place, rows, columns),
        `: ${number}. `,
        h("span", { class: "zoom-bin" }, binText(bin, digits === "full" ? 4 : digits)),
      );
    },
    speak(place, look) {
      const said = `${placeText(place, known.rows, known.columns)}: ${lookText(look, 4)}`;
      if (status.textContent !== said) status.textContent = said;
    },
    strongest(place, look) {
      const signature = look ? `${look.query}` : "";
      if (!look || signature === shown) return;
      shown = signature;
      const { rows, columns, digits } = known;
      replace(rowName, "Query ", named(rows[place.row], place.row), ", where the cursor is, looks most at:");
      refill(
        row,
        null,
        look.top.map(({ key, weight }) => {
          const made = button({
            label: "",
            kind: "quiet",
            onClick: () => go({ row: place.row, column: key }),
          });
          replace(made, named(columns[key], key), `: ${orNone(weight, digits === "full" ? 4 : digits)}`);
          return h("li", null, made);
        }),
      );
    },
  };
}
