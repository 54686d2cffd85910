import { button, switches } from "../../draw/controls";
import { h, replace } from "../../draw/dom";
import { createHeadGrid, type HeadGridModel, type HeadRow, headLegend } from "../../draw/headgrid";
import { weightsLegend } from "../../draw/legend";
import type { Digits } from "../../draw/numbers";
import { formatNumber } from "../../draw/numbers";
import { createSortable, type SortableModel } from "../../draw/sortable";
import { type ModelLook, STATISTICS, type Statistic } from "../../state/model";
import type { HeadStatistics, LayerAgreement, Model, Tower } from "../../wire/types";
import type { Answer } from "./question";
import { agreementText, keysOf, MEANING, statisticsText, switchesOff, towerOf } from "./words";

export interface Overview {
  /** Which part of the model, and what each head shows. */
  tools: HTMLElement;
  /** The heads. */
  element: HTMLElement;
  /** The heads in numbers. */
  table: HTMLElement;
  update(answer: Answer<"model">, look: ModelLook, digits: Digits): void;
  redraw(): void;
}

interface Handlers {
  chooseTower(name: string): void;
  chooseHead(tower: string, layer: number, head: number): void;
  colour(statistic: Statistic | undefined): void;
}

type Colour = Statistic | "maps";

/** All heads of a model: as small maps or coloured by a statistic, and in a table that can be sorted. */
export function modelOverview(handlers: Handlers): Overview {
  const towers = switches<string>({
    legend: "part of the model",
    options: [],
    value: "",
    onChange: handlers.chooseTower,
  });
  const colours = switches<Colour>({
    legend: "each head shows",
    options: [
      { value: "maps", label: "its weights", hint: "the largest weight of each part of its map" },
      ...STATISTICS.map((name) => ({ value: name, label: MEANING[name].name, hint: MEANING[name].title })),
    ],
    value: "maps",
    onChange: (value) => handlers.colour(value === "maps" ? undefined : value),
  });
  const says = h("p", { class: "hint" });
  const note = h("p", { class: "hint" });
  const grid = createHeadGrid(EMPTY, (row, head) => {
    const layer = shown?.tower.layers[row];
    if (shown && layer) handlers.chooseHead(shown.tower.name, layer.number, head);
  });
  const table = createSortable({ caption: "", what: "head", columns: COLUMNS, rows: [], by: null }, (by) =>
    handlers.colour(by === null ? undefined : STATISTICS[by]),
  );
  const details = h(
    "details",
    { class: "head-table" },
    h("summary", null, "All heads in numbers"),
    table.element,
    note,
  );
  const tools = h("div", { class: "model-overview-tools" }, towers.element, colours.element, says);
  const legend = h("div");
  const element = h("div", { class: "model-overview" }, grid.element, legend);
  let shown: { tower: Tower } | null = null;
  let known: Tower[] = [];

  return {
    ...{ tools, element, table: details },
    redraw: () => grid.redraw(),
    update({ data, buffers }, look, digits) {
      const tower = towerOf(data, look.tower);
      if (!tower) return;
      shown = { tower };
      towers.element.hidden = data.towers.length < 2;
      if (known !== data.towers)
        towers.setOptions(
          data.towers.map(({ name, title }) => ({ value: name, label: title || name || "all" })),
          tower.name,
        );
      known = data.towers;
      towers.set(tower.name);
      colours.set(look.colour ?? "maps");
      colours.element.hidden = data.statistics.length === 0;
      const statistics = new Map(
        data.statistics
          .filter((one) => one.tower === tower.name)
          .map((one) => [`${one.layer}/${one.head}`, one]),
      );
      const of = (row: number, head: number) => statistics.get(`${tower.layers[row]?.number}/${head}`);
      const rows = tower.layers.map((layer) => rowOf(layer, tower, buffers));
      grid.update({
        name: nameOf(tower),
        rows,
        chosen: chosenIn(tower, look),
        off: (row, head) =>
          (look.changes ?? []).some((change) =>
            switchesOff(change, tower.name, tower.layers[row]?.number ?? -1, head, data.main),
          ),
        long: data.long,
        colour: look.colour ? colouring(look.colour, data.statistics, of) : null,
        says: (row, head) => {
          const layer = tower.layers[row];
          const fails = saysOfAgreement(layer?.agreement);
          const numbers = statisticsText(of(row, head), digits);
          return `layer ${layer?.number ?? row}, head ${head}${numbers ? `: ${numbers}` : ""}.${fails}`;
        },
      });
      says.textContent = saysOf(look.colour, tower);
      replace(legend, legendOf(look.colour, data, rows));
      details.hidden = data.statistics.length === 0;
      table.update(tableOf(tower, look, [...statistics.values()], digits, handlers.chooseHead));
      note.textContent = data.statistics_note;
    },
  };
}

/** What is said of a head whose layer does not agree; where nothing could be compared, why. */
function saysOfAgreement(agreement: LayerAgreement | null | undefined): string {
  if (!agreement || agreement.agrees) return "";
  return agreement.difference === null ? ` ${agreement.note}` : " × Its numbers are not the model's own.";
}

const COLUMNS = STATISTICS.map((name) => ({ name: MEANING[name].name, title: MEANING[name].title }));
const plain = (value: number) => (Number.isInteger(value) ? String(value) : formatNumber(value, 2));
const EMPTY: HeadGridModel = {
  ...{ name: "", rows: [], chosen: null, colour: null },
  off: () => false,
  says: () => "",
};

function nameOf({ layers }: Tower): string {
  const attending = layers.filter(({ heads }) => heads > 0);
  const counts = [...new Set(attending.map(({ heads }) => heads))];
  const others = layers.length - attending.length;
  return (
    `${attending.length} attention layer${attending.length === 1 ? "" : "s"} of ${counts.join(" or ")} heads` +
    (others > 0 ? `, and ${others} of another kind` : "")
  );
}

function rowOf(layer: Tower["layers"][number], tower: Tower, buffers: Answer<"model">["buffers"]): HeadRow {
  const { label, heads, what, agreement, thumbnails } = layer;
  const bytes = thumbnails === null ? null : buffers[thumbnails];
  const values = bytes instanceof Uint8Array && heads > 0 ? bytes : null;
  return {
    ...{ label, heads, what },
    fails: agreement && !agreement.agrees && agreement.difference !== null ? agreementText(agreement) : null,
    thumbnails: values && thumbnailShape(values, heads, tower),
  };
}

/** The side of a small map in points: texts that are longer are drawn together. */
const THUMBNAIL = 24;

/** One small map for each head; the shape follows from the lengths, which are the same for all heads. */
function thumbnailShape(values: Uint8Array, heads: number, tower: Tower): HeadRow["thumbnails"] {
  const rows = Math.min(THUMBNAIL, tower.queries.length);
  const columns = Math.min(THUMBNAIL, keysOf(tower).length);
  return values.length === heads * rows * columns ? { values, rows, columns } : null;
}

function chosenIn(tower: Tower, look: ModelLook): HeadGridModel["chosen"] {
  const at = tower.layers.findIndex((layer) => layer.number === look.layer);
  const first = tower.layers.findIndex((layer) => layer.heads > 0);
  const row = at >= 0 ? at : first;
  return row < 0 ? null : { row, head: look.head ?? 0 };
}

function colouring(
  name: Statistic,
  all: HeadStatistics[],
  of: (row: number, head: number) => HeadStatistics | undefined,
): HeadGridModel["colour"] {
  const largest = largestOf(name, all) || 1;
  return { name: MEANING[name].name, largest, of: (row, head) => of(row, head)?.[name] ?? null };
}

function saysOf(colour: Statistic | undefined, tower: Tower): string {
  if (!colour)
    return `Each picture is one head: ${tower.rows} that ask go down, ${tower.columns} that are asked go across. Choose one to see it large.`;
  return `A stronger colour is more: ${MEANING[colour].title}.`;
}

/** The number that the last colour stands for. */
function largestOf(name: Statistic, all: HeadStatistics[]): number {
  return MEANING[name].most ?? Math.max(0, ...all.map((one) => one[name] ?? 0));
}

function legendOf(
  colour: Statistic | undefined,
  { statistics, long }: Model,
  rows: readonly HeadRow[],
): HTMLElement {
  return colour
    ? weightsLegend(plain(largestOf(colour, statistics)), MEANING[colour].name)
    : headLegend(long, rows);
}

function tableOf(
  tower: Tower,
  look: ModelLook,
  statistics: HeadStatistics[],
  digits: Digits,
  choose: Handlers["chooseHead"],
): SortableModel {
  const chosen = chosenIn(tower, look);
  const number = chosen ? tower.layers[chosen.row]?.number : undefined;
  return {
    caption: "What each head does, in numbers",
    what: "head",
    columns: COLUMNS,
    by: look.colour ? STATISTICS.indexOf(look.colour) : null,
    rows: statistics.map((one) => ({
      key: `${one.layer}/${one.head}`,
      name: button({
        label: `layer ${one.layer} head ${one.head}`,
        kind: "quiet",
        onClick: () => choose(tower.name, one.layer, one.head),
      }),
      values: STATISTICS.map((name) => one[name]),
      texts: STATISTICS.map((name) => (one[name] === null ? "–" : formatNumber(one[name] as number, digits))),
      chosen: one.layer === number && one.head === chosen?.head,
    })),
  };
}
