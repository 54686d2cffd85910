/** What a map says in words: its numbers, and what its marks mean. */
import { h } from "./dom";
import { weightsLegend } from "./legend";
import { labelText, type MapPlace, PADDING, type WeightMapModel } from "./mapmodel";
import { formatNumber } from "./numbers";

/** "5 late → 2 said: 0.4312; sink 0.01" */
export function sentence(model: WeightMapModel, { row, column }: MapPlace, spoken: boolean): string {
  const [from, to] = [model.rows.labels[row], model.columns.labels[column]];
  if (!from || !to) return "";
  const at = row * model.columns.labels.length + column;
  const value = model.values[at] as number;
  const blind = model.blind?.includes(row) === true;
  const masked = model.hidden?.[at] === 1;
  const sink = model.side
    ? `; ${model.side.name} ${formatNumber(model.side.values[row] as number, model.digits)}`
    : "";
  const number = blind ? "this row sees nothing" : masked ? "masked" : exact(value, model.digits, spoken);
  return `${labelText(from, spoken)} → ${labelText(to, spoken)}: ${number}${sink}`;
}

/** What can be read is the number as it was computed; read out, it has four decimals unless all were asked for. */
function exact(value: number, digits: WeightMapModel["digits"], spoken: boolean): string {
  if (Number.isNaN(value)) return "no number";
  return formatNumber(value, spoken && digits !== "full" ? 4 : "full");
}

/** One mark of a legend. */
export function mark(look: string, meaning: string): HTMLElement {
  return h(
    "span",
    { class: "map-mark" },
    h("span", { class: `map-sample ${look}`, "aria-hidden": "true" }),
    meaning,
  );
}

/** Of what is not a number (NaN), and so is not 0 either. */
export function noNumberMark(): HTMLElement {
  return mark("no-number", "no number (NaN)");
}

/** The rows or columns of an axis that are padding. */
export function paddingOf({ labels }: WeightMapModel["rows"]): number[] {
  return labels.flatMap(({ note }, at) => (note === PADDING ? at : []));
}

export function legendOf(model: WeightMapModel): HTMLElement[] {
  const end = Number.isInteger(model.largest) ? String(model.largest) : formatNumber(model.largest, 2);
  const marks = [weightsLegend(end, model.value)];
  if (model.hidden?.includes(1))
    marks.push(mark("hatched", "masked: may not be seen, which is not a weight of 0"));
  // Of what is hidden, or is no row, nothing is drawn that could be taken for a number.
  if (model.values.some((value, at) => Number.isNaN(value) && model.hidden?.[at] !== 1))
    marks.push(noNumberMark());
  if (model.blind?.length) marks.push(mark("struck", "this row sees nothing"));
  if (paddingOf(model.rows).length + paddingOf(model.columns).length)
    marks.push(mark("padded", "faint, its number in a frame: padding, which is no part of the text"));
  if ([model.rows, model.columns].some(({ written }) => written))
    marks.push(mark("divided", "from here on the model wrote it"));
  return marks;
}
