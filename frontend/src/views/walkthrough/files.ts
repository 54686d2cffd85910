import { plainNumber } from "../../draw/numbers";
import type { Picture } from "../../state/picture";
import { type Figure, numbersOf } from "./figure";

/** A matrix as other programs read it: full values, tab-separated, one line per row, ASCII signs. */
export function asTable(figure: Figure, picture: Picture): string {
  const { values } = numbersOf(figure, picture);
  const width = figure.columns.labels.length;
  return figure.sources
    .map((_, row) => [...values.subarray(row * width, (row + 1) * width)].map(plainNumber).join("\t"))
    .join("\n");
}

/** Puts text on the clipboard; false where the browser does not allow it. */
export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Offers `bytes` as a file to keep. */
export function download(filename: string, mediaType: string, bytes: BlobPart): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: mediaType }));
  const link = document.createElement("a");
  link.href = url;
  link.download = filename;
  link.click();
  // The download has its own reference by the next task; the page needs none.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
