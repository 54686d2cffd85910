/** One of the two walkthroughs of a report: its numbers, and the arithmetic of each. */

import { isChanged } from "../../draw/matrix-model";
import { type Digits, formatNumber } from "../../draw/numbers";
import { Cells, flatPlace } from "../../hosts/kept/cell";
import { explanation } from "../../reading/explain";
import type { Picture } from "../../state/picture";
import type { CellRef, Explanation, SmallExample, WireBuffer } from "../../wire/types";
import { pictureOf } from "../model/walk";

export const SIDES = ["yours", "right"] as const;
export type SideName = (typeof SIDES)[number];

/** What the sides are called on the page. */
export const CALLED: Record<SideName, string> = { yours: "yours", right: "the reference" };

/** How a note says what the other side has. */
const OTHER_HAS: Record<SideName, string> = { yours: "the reference has", right: "yours has" };

const ONLY_ITS_VALUE = "only its value is known, not how your function comes to it";

export class Side {
  readonly picture: Picture;
  private readonly cells: Cells;

  constructor(
    readonly name: SideName,
    { [name]: { quantities, recipes } }: SmallExample,
    buffers: WireBuffer[],
  ) {
    const walk = { label: CALLED[name], queries: [], keys: [], quantities, stops: [], notices: [] };
    this.picture = pictureOf(walk, buffers);
    const words = { tokens: [], vocabulary: [] }; // no words stand at the positions
    const values = (at: number) => buffers[at] as WireBuffer;
    const how = { kind: "recipes" as const, quantities: recipes };
    this.cells = new Cells(words, quantities, (one) => values(one.values), how, buffers, null);
  }

  has(quantity: string): boolean {
    return this.picture.quantities.has(quantity);
  }

  /** How many cells of a quantity the sides have different numbers in. */
  differs(quantity: string): number {
    const difference = this.picture.quantities.get(quantity)?.difference;
    return difference ? [...difference].filter(isChanged).length : 0;
  }

  /** The number of a cell, or null where there is none. */
  number({ quantity, index }: CellRef): number | null {
    return this.at(quantity, index, "values");
  }

  /** The arithmetic of a cell, or null where there is no such cell. */
  explained(cell: CellRef, other: Side, digits: Digits): Explanation | null {
    const unread = this.cells.cell(cell);
    if (unread === null) return null;
    const apart = isChanged(this.at(cell.quantity, cell.index, "difference") ?? 0);
    const there = other.number(cell);
    // A step that the reference works out and this side does not: nobody knows how it is done here.
    const bare = unread.recipe.kind === "number" && unread.formula === null;
    const unknown = this.name === "yours" && bare && (apart || other.works(cell.quantity));
    const notes = [
      unread.note,
      unknown && ONLY_ITS_VALUE,
      apart && there !== null && `${OTHER_HAS[this.name]} ${formatNumber(there, digits)} here`,
    ];
    const note = notes.filter(Boolean).join("; ");
    return explanation({ ...unread, place: `${CALLED[this.name]}, ${unread.place}`, note }, digits);
  }

  /** Whether a quantity is worked out here, and not given. */
  private works(quantity: string): boolean {
    return (this.picture.quantities.get(quantity)?.about.operation ?? "given") !== "given";
  }

  private at(quantity: string, index: number[], which: "values" | "difference"): number | null {
    const found = this.picture.quantities.get(quantity);
    const flat = found ? flatPlace(found.about.shape, index) : null;
    return flat === null ? null : (found?.[which]?.[flat] ?? null);
  }
}

/** "yours.scaled[0,1]" as the address has it, taken apart; null where it names no side. */
export function sideOf(cell: CellRef | null): { side: SideName; cell: CellRef } | null {
  const [name, ...rest] = cell?.quantity.split(".") ?? [];
  const side = SIDES.find((one) => one === name);
  return cell && side ? { side, cell: { quantity: rest.join("."), index: cell.index } } : null;
}

/** The cell as the address has it. */
export function onSide(side: SideName, { quantity, index }: CellRef): CellRef {
  return { quantity: `${side}.${quantity}`, index };
}
