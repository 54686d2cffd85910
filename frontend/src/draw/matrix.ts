/**
 * A matrix: every number in its cell, under a caption that says what it is.
 *
 * It is a real table with the ARIA grid pattern: one tab stop, arrow keys inside, Enter opens a cell, F2 or typing edits it.
 */

import { focused, h, replace } from "./dom";
import { Cell, longestOrdinary, tailPads } from "./matrix-cell";
import { watchEdges } from "./matrix-edges";
import { type Editor, openEditor } from "./matrix-edit";
import {
  axisHeader,
  captionSignature,
  fillCaption,
  headerRow,
  headerSignature,
  wordCharacters,
} from "./matrix-header";
import { moved, startsNumber } from "./matrix-keys";
import { cellFace, type LightRole, type MatrixHandlers, type MatrixModel, valueAt } from "./matrix-model";
import { plainNumber } from "./numbers";
import { bringIntoSight } from "./sight";
import { extent, valueColour } from "./values";

export type { AxisLabels, LightRole, MatrixHandlers, MatrixModel } from "./matrix-model";

export interface Matrix {
  element: HTMLElement;
  /** Redraws in place; cells are kept while the shape is. */
  update(model: MatrixModel): void;
  /** Lights exactly these cells in this role; `null` lights none. */
  light(role: LightRole, cells: [number, number][] | "all" | null): void;
  focusCell(row: number, column: number): void;
}

export function createMatrix(model: MatrixModel, handlers: MatrixHandlers): Matrix {
  return new GridMatrix(model, handlers);
}

class GridMatrix implements Matrix {
  readonly element: HTMLElement;
  private readonly caption = h("caption");
  private readonly head = h("thead");
  private readonly body = h("tbody");
  private readonly table = h("table", { role: "grid" }, this.caption, this.head, this.body);
  private readonly scrolls = h("span", { class: "matrix-scrolls", hidden: true }, ", scrolls");
  private readonly message = h("p", { class: "cell-message", role: "alert", hidden: true });
  private readonly actions = h("div", { class: "matrix-actions", hidden: true });
  private cells: Cell[] = [];
  private rowHeaders: HTMLElement[] = [];
  private readonly owner = new WeakMap<Element, Cell>();
  private readonly lit: Partial<Record<LightRole, Cell[]>> = {};
  private signatures = { header: "", caption: "", actions: "" };
  private current = 0;
  private editor: Editor | null = null;

  constructor(
    private model: MatrixModel,
    private readonly handlers: MatrixHandlers,
  ) {
    const box = h("div", { class: "matrix-box" }, this.table);
    const frame = h("div", { class: "matrix-frame" }, box);
    this.element = h(
      "figure",
      { class: "matrix", dataset: { key: model.key } },
      frame,
      this.message,
      this.actions,
    );
    this.table.addEventListener("keydown", (event) => this.onKey(event));
    this.table.addEventListener("mousedown", (event) => this.onMouseDown(event));
    this.table.addEventListener("click", (event) => this.onClick(event));
    this.table.addEventListener("dblclick", (event) => this.onDoubleClick(event));
    this.table.addEventListener("copy", (event) => this.onCopy(event));
    this.update(model);
    watchEdges(frame, box, this.table, this.scrolls);
  }

  update(model: MatrixModel): void {
    const size = model.rows.labels.length * model.columns.labels.length;
    if (model.values.length !== size) {
      throw new RangeError(`${model.key} has ${model.values.length} values for ${size} cells.`);
    }
    this.model = model;
    this.drawWords();
    this.drawNumbers();
  }

  light(role: LightRole, which: [number, number][] | "all" | null): void {
    const columns = this.model.columns.labels.length;
    const next =
      which === "all" ? this.cells : (which ?? []).flatMap(([r, c]) => this.cells[r * columns + c] ?? []);
    const keep = new Set(next);
    for (const cell of this.lit[role] ?? []) if (!keep.has(cell)) cell.light(role, false);
    for (const cell of next) cell.light(role, true);
    this.lit[role] = next;
    // The panel that opens with the cell may cover it at small widths; the cell that holds the focus stays in sight.
    const [opened] = next;
    if (role === "opened" && opened && focused(this.element) === opened.element) {
      requestAnimationFrame(() => bringIntoSight(opened.element, "nearest"));
    }
  }

  focusCell(row: number, column: number): void {
    this.setCurrent(row * this.model.columns.labels.length + column);
    this.cells[this.current]?.element.focus();
  }

  private drawWords(): void {
    const { model, signatures } = this;
    const header = headerSignature(model);
    if (header !== signatures.header) {
      signatures.header = header;
      this.rebuild();
    }
    const caption = captionSignature(model);
    if (caption !== signatures.caption) fillCaption(this.caption, model, this.scrolls);
    signatures.caption = caption;
    this.table.setAttribute("aria-readonly", String(!this.isEditable()));
    this.drawActions();
  }

  private drawActions(): void {
    const labels = JSON.stringify((this.model.actions ?? []).map((action) => action.label));
    if (labels === this.signatures.actions) return;
    this.signatures.actions = labels;
    // A later model may bring new functions under the same labels, so the button asks for the current one.
    const buttons = (this.model.actions ?? []).map(({ label }, i) =>
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => this.model.actions?.[i]?.run() },
        label,
        h("span", { class: "visually-hidden" }, ` ${this.model.name} ${this.model.shape}`),
      ),
    );
    this.actions.hidden = buttons.length === 0;
    replace(this.actions, buttons);
  }

  /** New headers; cells are kept where the shape is the same, so focus, edits and lights survive a changed word. */
  private rebuild(): void {
    const { rows, columns } = this.model;
    const [height, width] = [rows.labels.length, columns.labels.length];
    replace(this.head, headerRow(this.model));
    const headers = rows.labels.map((_, r) => axisHeader(rows, r, "row"));
    if (this.rowHeaders.length === height && this.cells.length === height * width) {
      this.rowHeaders.forEach((header, r) => {
        header.replaceWith(headers[r] as HTMLElement);
      });
    } else {
      this.rebuildCells(headers, height, width);
    }
    this.rowHeaders = headers;
  }

  private rebuildCells(headers: HTMLElement[], height: number, width: number): void {
    this.editor?.close();
    const before = this.cells[this.current];
    const hadFocus = this.table.contains(focused(this.table));
    for (const role of Object.keys(this.lit) as LightRole[]) delete this.lit[role];
    this.cells = Array.from({ length: height * width }, (_, i) =>
      this.makeCell(Math.floor(i / width), i % width),
    );
    const rowOf = (r: number) => this.cells.slice(r * width, (r + 1) * width).map((cell) => cell.element);
    replace(
      this.body,
      headers.map((header, r) => h("tr", { role: "row" }, header, rowOf(r))),
    );
    const row = Math.min(before?.row ?? 0, height - 1);
    const column = Math.min(before?.column ?? 0, width - 1);
    this.setCurrent(Math.max(0, row * width + column));
    if (hadFocus) this.cells[this.current]?.element.focus();
  }

  private makeCell(row: number, column: number): Cell {
    const cell = new Cell(row, column);
    this.owner.set(cell.element, cell);
    return cell;
  }

  private drawNumbers(): void {
    const { model } = this;
    const faces = this.cells.map((cell) => cellFace(model, cell.row, cell.column));
    const pads = tailPads(faces.map((face) => face.text));
    const differencePads = tailPads(faces.map((face) => face.difference));
    const longest = longestOrdinary(faces.map((face, i) => face.text + (pads[i] ?? "")));
    this.table.style.setProperty("--number-characters", String(longest));
    this.table.style.setProperty("--word-characters", String(wordCharacters(model)));
    const largest = extent(model.values);
    this.element.classList.toggle("with-difference", model.showDifference && model.difference !== undefined);
    this.cells.forEach((cell, i) => {
      const face = faces[i] as (typeof faces)[number];
      const background =
        face.pending || face.hidden ? "" : valueColour(model.values[i] as number, model.scale, largest);
      cell.show(face, background, {
        number: pads[i] ?? "",
        difference: face.difference ? (differencePads[i] ?? "") : "",
      });
    });
  }

  private isEditable(): boolean {
    return this.model.editable && this.handlers.edit !== undefined;
  }

  private setCurrent(at: number): void {
    this.cells[this.current]?.element.removeAttribute("tabindex");
    this.current = at;
    this.cells[at]?.element.setAttribute("tabindex", "0");
  }

  private cellOf(event: Event): Cell | undefined {
    const td = (event.target as Element).closest("td");
    return td ? this.owner.get(td) : undefined;
  }

  /**
   * A press on a cell opens it and selects no text. A view may leave out what is out of sight (content-visibility), and
   * Chromium 156 ends its renderer when a selection begins there beside a matrix that has just come into sight.
   */
  private onMouseDown(event: MouseEvent): void {
    const cell = this.cellOf(event);
    if (cell && event.button === 0 && !cell.element.classList.contains("editing")) event.preventDefault();
  }

  private onClick(event: MouseEvent): void {
    const cell = this.cellOf(event);
    if (!cell || cell.element.classList.contains("editing")) return;
    this.focusCell(cell.row, cell.column);
    this.handlers.open(cell.row, cell.column);
  }

  private onDoubleClick(event: MouseEvent): void {
    const cell = this.cellOf(event);
    if (cell) this.startEdit(cell, null);
  }

  private onKey(event: KeyboardEvent): void {
    const cell = this.cellOf(event);
    if (!cell || cell.element.classList.contains("editing")) return;
    const { rows, columns } = this.model;
    const to = moved(event, cell, rows.labels.length, columns.labels.length);
    if (to) {
      this.focusCell(to.row, to.column);
      if (this.lit.opened?.length && (to.row !== cell.row || to.column !== cell.column))
        this.handlers.open(to.row, to.column);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      this.handlers.open(cell.row, cell.column);
    } else if (this.isEditable() && (event.key === "F2" || startsNumber(event))) {
      this.startEdit(cell, event.key === "F2" ? null : event.key);
    } else {
      return;
    }
    event.preventDefault();
  }

  private startEdit(cell: Cell, typed: string | null): void {
    if (!this.isEditable()) return;
    this.editor?.close();
    const value = valueAt(this.model, cell.row * this.model.columns.labels.length + cell.column);
    this.setCurrent(cell.row * this.model.columns.labels.length + cell.column);
    this.editor = openEditor(cell.element, value, typed, this.message, {
      commit: (next) => this.handlers.edit?.(cell.row, cell.column, next),
      closed: (refocus) => {
        this.editor = null;
        if (refocus) cell.element.focus();
      },
    });
  }

  /** Ctrl+C on a cell copies its full value. */
  private onCopy(event: ClipboardEvent): void {
    const cell = this.cellOf(event);
    if (!cell || cell.element.classList.contains("editing") || !event.clipboardData) return;
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed) return;
    event.clipboardData.setData(
      "text/plain",
      plainNumber(valueAt(this.model, cell.row * this.model.columns.labels.length + cell.column)),
    );
    event.preventDefault();
  }
}
