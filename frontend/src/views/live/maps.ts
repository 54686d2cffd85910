import { h, replace } from "../../draw/dom";
import { createHeatmap, type Heatmap, type HeatmapModel } from "../../draw/heatmap";
import { mark } from "../../draw/mapwords";
import { type Digits, formatNumber } from "../../draw/numbers";
import { positionChip } from "../../draw/palette";
import { spokenToken, visibleToken } from "../../draw/token";
import type { Moment } from "./run";

export interface HeadMaps {
  element: HTMLElement;
  update(moment: Moment, digits: Digits): void;
  redraw(): void;
}

/** The maps of all heads: the head that does most of what an induction head does is large, the others small. */
export function headMaps(): HeadMaps {
  const best = h("figure", { class: "best-head" });
  const others = h("div", { class: "other-heads" });
  const readout = h("p", { class: "chart-readout" });
  const legend = h("p", { class: "map-legend" }, mark("hatched", "masked, which is not a weight of 0"));
  const table = h("tbody");
  const details = h(
    "details",
    { class: "where-it-looks", ontoggle: () => drawTable() },
    h("summary", null, "Where the large head looks, as a table"),
    h(
      "table",
      { class: "ranking" },
      h("caption", { class: "visually-hidden" }, "where the large head looks from each position"),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["from", "looks most at", "weight", "an induction head looks at"].map((name) =>
            h("th", { scope: "col" }, name),
          ),
        ),
      ),
      table,
    ),
  );
  const element = h(
    "div",
    { class: "head-maps" },
    h("div", { class: "best-place" }, best, readout, legend),
    h("div", { class: "other-place" }, others),
    details,
  );
  const maps = new Map<number, { figure: HTMLElement; map: Heatmap; caption: HTMLElement }>();
  let shown: { moment: Moment; digits: Digits } | null = null;
  let bestAt = -1;

  function mapOf(head: number, model: HeatmapModel) {
    let known = maps.get(head);
    if (!known) {
      const map = createHeatmap(model, (cell) => read(head, cell));
      const caption = h("figcaption");
      known = { figure: h("figure", { class: "head" }, map.element, caption), map, caption };
      maps.set(head, known);
    }
    return known;
  }

  function read(head: number, cell: { row: number; column: number } | null): void {
    if (!shown || !cell) {
      readout.textContent = "";
      return;
    }
    const { data, maps: all } = shown.moment;
    const size = data.tokens.length;
    const value = all[head * size * size + cell.row * size + cell.column] ?? 0;
    const word = (at: number) => `${at} ${visibleToken(data.tokens[at] ?? "")}`;
    readout.textContent = `${headName(data.heads, head)}: from ${word(cell.row)} to ${word(cell.column)}: ${value < 0 ? "masked" : formatNumber(value, shown.digits)}`;
  }

  function drawTable(): void {
    if (!details.open || !shown) return;
    const { data, maps: all } = shown.moment;
    const size = data.tokens.length;
    const count = size;
    const chip = (at: number) => positionChip(at, data.tokens[at] ?? "", count);
    replace(
      table,
      data.tokens.map((_, row) => {
        const start = (bestAt * size + row) * size;
        const weights = [...all.subarray(start, start + size)];
        const most = weights.indexOf(Math.max(...weights));
        const target = data.targets[row] ?? -1;
        return h(
          "tr",
          null,
          h("th", { scope: "row" }, chip(row)),
          h("td", null, chip(Math.max(0, most))),
          h("td", null, formatNumber(weights[most] ?? 0, shown?.digits ?? 2)),
          h("td", null, target < 0 ? "–" : chip(target)),
        );
      }),
    );
  }

  return {
    element,
    update(moment, digits) {
      shown = { moment, digits };
      const { data, maps: all, scores } = moment;
      const size = data.tokens.length;
      const count = data.layers * data.heads;
      const [layer = 0, head = 0] = data.best;
      const next = layer * data.heads + head;
      const latest = (data.measured.length - 1) * count;
      legend.hidden = !all.some((weight) => weight < 0);
      for (const known of [...maps.keys()]) if (known >= count) maps.delete(known);
      for (let i = 0; i < count; i++) {
        const name = headName(data.heads, i);
        const weights = all.subarray(i * size * size, (i + 1) * size * size);
        const model = { name, weights, size, targets: data.targets };
        const { map, caption } = mapOf(i, model);
        map.update(model);
        const score = scores[latest + i];
        caption.textContent = score === undefined ? name : `${name} · score ${formatNumber(score, digits)}`;
      }
      arrange(next, count);
      drawTable();
    },
    redraw() {
      for (const { map } of maps.values()) map.redraw();
    },
  };

  function arrange(next: number, count: number): void {
    bestAt = next;
    const figure = maps.get(next)?.figure;
    const rest = Array.from({ length: count }, (_, i) => i)
      .filter((i) => i !== next)
      .flatMap((i) => maps.get(i)?.figure ?? []);
    if (figure && best.firstElementChild !== figure) best.replaceChildren(figure);
    if (rest.length !== others.children.length || rest.some((one, i) => others.children[i] !== one))
      others.replaceChildren(...rest);
  }
}

/** "layer 1, head 0", for the place of a head among all of them. */
export function headName(heads: number, at: number): string {
  return `layer ${Math.floor(at / heads)}, head ${at % heads}`;
}

/** The sequence in words, for who cannot see the maps. */
export function spokenSequence(tokens: readonly string[]): string {
  return tokens.map(spokenToken).join(" ");
}
