import type { Picture } from "../../state/picture";
import type { FigureHandlers, Look } from "./figureset";

/** What a section needs besides its own data. */
export interface Scene {
  picture: Picture;
  look: Look;
  /** The query row that comparisons are about. */
  query: number;
  /** The stop that is practised; null if none. */
  practice: string | null;
}

export interface StopHandlers extends FigureHandlers {
  chooseQuery(query: number): void;
  /** Leads to a stop, or to the gradients beside it. */
  jump(stop: string, backwards: boolean): void;
  /** More matrices have come into sight, without a new picture. */
  unfolded(): void;
}
