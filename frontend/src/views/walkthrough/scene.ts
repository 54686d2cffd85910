import type { Picture } from "../../state/picture";
import type { FigureHandlers, Look } from "./figureset";

/** What a section needs besides its own data. */
export interface Scene {
  picture: Picture;
  look: Look;
  /** The query row that comparisons are about. */
  query: number;
}

export interface StopHandlers extends FigureHandlers {
  chooseQuery(query: number): void;
}
