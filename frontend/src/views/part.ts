import type { Host } from "../hosts/host";
import type { Conversation } from "../state/conversation";
import type { Picture } from "../state/picture";
import type { Store } from "../state/store";
import type { CellRef, State } from "../wire/types";

/** A part of the page that comes after the stops and has its place in the bar. */
export interface Part {
  readonly id: string;
  readonly title: string;
  /** Its name in the bar. */
  readonly short: string;
  readonly element: HTMLElement;
  readonly heading: HTMLElement;
  /** Whether it has anything to show beside this picture. */
  applies(picture: Picture): boolean;
  /** A picture was drawn. */
  update(picture: Picture): void;
  /** Begins before there is a picture, of which it needs none; whether it has anything to show. */
  ahead?(): boolean;
}

export interface PartNeeds {
  host: Host;
  store: Store;
  talk: Conversation;
  /** The place under the sentence, for what all of the page follows. */
  top: HTMLElement;
  /** The place of the arithmetic beside the text. */
  side: HTMLElement;
  /** Ends everything that the part listens to. */
  stop: AbortSignal;
  /** Shows another state, and there one cell or the beginning. */
  visit(state: State, cell: CellRef | null): void;
  /** What the part has to show has changed from nothing to something. */
  appeared(): void;
  /** What an address led to is on the screen, or how far it is. */
  shown(): void;
  /** The session has nothing for this part, so that a page opened for it shows the worked example instead. */
  missing(): void;
}

export type PartMaker = (needs: PartNeeds) => Part;
