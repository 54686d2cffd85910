import { type Child, h } from "../../../draw/dom";
import { labelText, type MapLabel, type MapPlace } from "../../../draw/mapmodel";

/** A token with its position before it, which looks otherwise: many tokens of a text are numbers themselves. */
export function named(label: MapLabel | undefined, at: number): Child[] {
  const { position, ...rest } = label ?? { text: "", position: at };
  if (position === undefined) return [h("bdi", null, labelText(rest))];
  const word = labelText({ ...rest, position }).slice(String(position).length + 1);
  return [h("span", { class: "zoom-at" }, `${position} `), h("bdi", null, word)];
}

/** "5 late → 2 said" */
export function placeNamed(
  { row, column }: MapPlace,
  rows: readonly MapLabel[],
  columns: readonly MapLabel[],
): Child[] {
  return rows[row] && columns[column] ? [named(rows[row], row), " → ", named(columns[column], column)] : [];
}
