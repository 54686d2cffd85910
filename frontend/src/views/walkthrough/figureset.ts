import { h } from "../../draw/dom";
import { createMatrix, type LightRole, type Matrix } from "../../draw/matrix";
import type { Digits } from "../../draw/numbers";
import type { Picture } from "../../state/picture";
import type { CellRef, Edit, State } from "../../wire/types";
import { cellAt, cellsOf, editOf, type Figure, numbersOf } from "./figure";
import { FORMS, type Form } from "./files";
import { pendingNumbers } from "./pending";

/** What a person can do on a matrix; the same for every matrix of the page. */
export interface FigureHandlers {
  open(cell: CellRef): void;
  edit(edit: Edit): void;
  copy(figure: Figure, form: Form): void;
}

/** How numbers are shown at the moment. */
export interface Look {
  digits: Digits;
  compare: boolean;
  /** The state whose numbers are to be shown though the picture does not have them; null while that is on its way. */
  given: State | null;
  /** Whether the number of a cell is not shown, because it is to be predicted; null: all are. */
  hides: ((cell: CellRef) => boolean) | null;
  /** What is said of cells that are marked, where the difference is not from before. */
  marked?: string;
}

/** Cells to light in one role: each pattern holds null for "every index along this axis". */
export interface Lit {
  quantity: string;
  pattern: readonly (number | null)[];
}

interface Drawn {
  figure: Figure;
  matrix: Matrix;
}

/** A row of matrices that is brought up to date in place: a figure that stays keeps its table, its focus and its scroll. */
export class FigureSet {
  readonly element = h("div", { class: "figures" });
  private drawn = new Map<string, Drawn>();
  private shown: Picture | null = null;

  constructor(private readonly handlers: FigureHandlers) {}

  draw(figures: Figure[], picture: Picture, look: Look): void {
    this.shown = picture;
    const next = new Map<string, Drawn>();
    for (const figure of figures) {
      const known = this.drawn.get(figure.key);
      if (known) {
        known.figure = figure;
        known.matrix.update(this.model(figure, picture, look));
        next.set(figure.key, known);
      } else {
        next.set(figure.key, this.create(figure, picture, look));
      }
    }
    const order = [...next.values()].map((drawn) => drawn.matrix.element);
    if (
      order.length !== this.element.children.length ||
      order.some((el, i) => this.element.children[i] !== el)
    ) {
      this.element.replaceChildren(...order);
    }
    this.drawn = next;
  }

  /** Shows, or no longer shows, what was given and is not computed; everything else stays. */
  give(look: Look): void {
    for (const { figure, matrix } of this.drawn.values())
      if (figure.editable && this.shown) matrix.update(this.model(figure, this.shown, look));
  }

  light(role: LightRole, cells: Lit[]): void {
    for (const { figure, matrix } of this.drawn.values()) {
      const here = cells.flatMap((lit) => cellsOf(figure, lit.quantity, lit.pattern));
      matrix.light(role, here.length === 0 ? null : here);
    }
  }

  /** The matrices that show a cell, with its place in each. */
  showing(cell: CellRef): { matrix: Matrix; row: number; column: number }[] {
    return [...this.drawn.values()].flatMap(({ figure, matrix }) =>
      cellsOf(figure, cell.quantity, cell.index).map(([row, column]) => ({ matrix, row, column })),
    );
  }

  private create(figure: Figure, picture: Picture, look: Look): Drawn {
    const drawn: Drawn = {
      figure,
      matrix: createMatrix(this.model(figure, picture, look), this.handlersOf(figure.key)),
    };
    return drawn;
  }

  /** The handlers look the figure up anew, because its cells may stand for others after a change. */
  private handlersOf(key: string) {
    return {
      open: (row: number, column: number) => {
        const figure = this.drawn.get(key)?.figure;
        const cell = figure && cellAt(figure, row, column);
        if (cell) this.handlers.open(cell);
      },
      edit: (row: number, column: number, value: number) => {
        const figure = this.drawn.get(key)?.figure;
        const edit = figure && this.shown && editOf(figure, this.shown, row, column, value);
        if (edit) this.handlers.edit(edit);
      },
    };
  }

  private model(figure: Figure, picture: Picture, look: Look) {
    const { key, name, made, says, shape, rows, columns, scale, editable } = figure;
    const hidden = look.hides ? hiddenPlaces(figure, look.hides) : undefined;
    // A copy would give away what is to be predicted.
    const forms = hidden?.size ? [] : FORMS;
    return {
      ...{ key, name, made, says, shape, rows, columns, scale, editable },
      ...numbersOf(figure, picture),
      hidden,
      pending: look.given ? pendingNumbers(figure, picture, look.given) : undefined,
      digits: look.digits,
      showDifference: look.compare,
      marked: look.marked,
      actions: forms.map((form) => ({
        label: form === "numbers" ? "copy" : `as ${form}`,
        run: () => this.handlers.copy(this.drawn.get(key)?.figure ?? figure, form),
      })),
    };
  }
}

/** The places of a figure whose numbers are not shown. */
function hiddenPlaces(figure: Figure, hides: (cell: CellRef) => boolean): ReadonlySet<number> {
  const width = figure.columns.labels.length;
  const places = Array.from({ length: figure.sources.length * width }, (_, at) => at);
  return new Set(
    places.filter((at) => {
      const cell = cellAt(figure, Math.floor(at / width), at % width);
      return cell !== null && hides(cell);
    }),
  );
}
