import { arrangeChildren, h, replace } from "../../draw/dom";
import { sightOf } from "../../draw/sight";
import type { CellRef, Stop } from "../../wire/types";
import type { Part } from "../part";
import type { FigureSet } from "./figureset";
import { followingBar, type Target } from "./following";
import type { Scene } from "./scene";
import type { StopSection } from "./stop";

/** Milliseconds of drawing after which keys and clicks get their turn. */
const SLICE = 20;

/** All stops of the walkthrough, and the bar that leads to them. */
export class StopList {
  readonly element = h("div", { class: "stops" });
  readonly barPlace = h("div", { class: "walk-bar-steps" });
  private readonly sections = new Map<string, StopSection>();
  private signature = "";
  private following = new AbortController();
  /** Counts the pictures; drawing that was put off for an older one is given up. */
  private turn = 0;

  constructor(private readonly makeSection: (id: string) => StopSection) {}

  /**
   * Draws what is near the window at once and the rest after the browser has painted that, in slices, so that an
   * edit of a long sentence is answered in the time of what can be seen. `done` is called when all of it is drawn.
   */
  draw(scene: Scene, parts: Part[], done: () => void): void {
    const { stops } = scene.picture.data;
    this.arrange(stops, parts);
    this.turn += 1;
    const near = new Set(stops.filter((stop) => isNear(this.sections.get(stop.id)!.element)));
    for (const stop of near) this.sections.get(stop.id)?.update(stop, scene);
    const rest = stops.map((stop) => () => {
      const section = this.sections.get(stop.id);
      if (!near.has(stop)) section?.update(stop, scene);
      section?.updateHidden(stop, scene);
    });
    if (near.size === stops.length) {
      for (const run of rest) run();
      done();
    } else {
      this.drawLater(this.turn, rest, done);
    }
  }

  sets(): FigureSet[] {
    return [...this.sections.values()].flatMap((section) => section.sets());
  }

  /** The id of the first stop, once there are stops. */
  get first(): string | undefined {
    return this.sections.keys().next().value;
  }

  section(id: string): StopSection | undefined {
    return this.sections.get(id);
  }

  /** Unfolds what hides a cell. */
  reveal(cell: CellRef): void {
    [...this.sections.values()].some((section) => section.reveal(cell));
  }

  end(): void {
    this.turn += 1;
    this.following.abort();
  }

  private drawLater(turn: number, rest: (() => void)[], done: () => void): void {
    const next = () => {
      if (turn !== this.turn) return;
      const until = performance.now() + SLICE;
      while (rest.length > 0 && performance.now() < until) rest.shift()?.();
      if (rest.length === 0) done();
      else setTimeout(next);
    };
    requestAnimationFrame(() => setTimeout(next));
  }

  /** Makes a section for each stop, and the bar that leads to all; done again only when they are others. */
  arrange(stops: Stop[], parts: Part[]): void {
    const places = [...stops, ...parts].map(({ id, title, short }) => ({ id, title, short }));
    const signature = JSON.stringify(places);
    if (signature === this.signature) return;
    this.signature = signature;
    for (const stop of stops) {
      if (!this.sections.has(stop.id)) this.sections.set(stop.id, this.makeSection(stop.id));
    }
    const ids = new Set(stops.map((stop) => stop.id));
    for (const id of [...this.sections.keys()]) if (!ids.has(id)) this.sections.delete(id);
    arrangeChildren(this.element, [
      ...stops.map((stop) => this.sections.get(stop.id)!.element),
      ...parts.map((part) => part.element),
    ]);
    this.following.abort();
    this.following = new AbortController();
    const targets = new Map<string, Target>(this.sections);
    for (const part of parts) targets.set(part.id, part);
    const bar = followingBar(places, targets, this.following.signal);
    replace(this.barPlace, bar.element);
  }
}

/** Within half a window's height of the window: what a person sees now or in the next moment. */
function isNear(element: HTMLElement): boolean {
  if (element.checkVisibility?.() === false) return false; // the example stands back
  const { top, bottom } = element.getBoundingClientRect();
  const sight = sightOf(element);
  return bottom > sight.top - sight.height / 2 && top < sight.bottom + sight.height / 2;
}
