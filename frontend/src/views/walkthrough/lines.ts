import { h, replace } from "../../draw/dom";
import { bare } from "../../draw/layers";
import type { Picture } from "../../state/picture";
import { figuresOf } from "./figure";
import { type FigureHandlers, FigureSet } from "./figureset";
import type { Scene } from "./scene";

/** The matrices of several quantities, in lines. In another layer the same names keep their tables. */
export class FigureLines {
  readonly element: HTMLElement;
  private readonly drawn = new Map<string, FigureSet>();
  private arrangement = "";

  constructor(
    private readonly place: string,
    private readonly handlers: FigureHandlers,
    className: string,
  ) {
    this.element = h("div", { class: className });
  }

  draw(quantities: string[], { picture, look, query }: Scene): void {
    const names = quantities.filter((name) => picture.quantities.has(name));
    const kept = new Set(names.map(bare));
    for (const name of [...this.drawn.keys()]) if (!kept.has(name)) this.drawn.delete(name);
    for (const name of names) {
      const set = this.drawn.get(bare(name)) ?? new FigureSet(this.handlers);
      this.drawn.set(bare(name), set);
      set.draw(figuresOf(this.place, picture.quantities.get(name)!, picture, query), picture, look);
    }
    this.arrange(linesOf(names, picture));
  }

  sets(): FigureSet[] {
    return [...this.drawn.values()];
  }

  private arrange(lines: string[][]): void {
    const arrangement = JSON.stringify(lines);
    if (arrangement === this.arrangement) return;
    this.arrangement = arrangement;
    replace(
      this.element,
      lines.map((line) =>
        h(
          "div",
          { class: "matrices" },
          line.map((name) => this.drawn.get(name)?.element),
        ),
      ),
    );
  }
}

/** A matrix that a person gives (E, P, W_Q ...) starts a new line, and what is made of it follows. */
function linesOf(names: string[], picture: Picture): string[][] {
  const lines: string[][] = [];
  for (const name of names) {
    const last = lines[lines.length - 1];
    if (!last || picture.quantities.get(name)?.about.editable) lines.push([bare(name)]);
    else last.push(bare(name));
  }
  return lines;
}
