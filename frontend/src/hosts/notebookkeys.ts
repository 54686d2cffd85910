/**
 * Keys in a cell. A notebook has a meaning for every letter ("d d" deletes a cell), so what is typed into the page must
 * not reach it; and nothing that is typed elsewhere reaches the page, which listens within its own root alone.
 */

/** Lumino, on which JupyterLab and Notebook 7 stand, listens before the page does; this attribute holds it off. */
const HELD_OFF = "data-lm-suppress-shortcuts";

export function keepKeys(place: HTMLElement, stop: AbortSignal): void {
  for (const type of ["keydown", "keypress", "keyup"] as const) {
    place.addEventListener(type, (event) => !isSaving(event) && event.stopPropagation(), { signal: stop });
  }
  place.setAttribute(HELD_OFF, "");
  // Saving the notebook is meant from wherever it is pressed.
  addEventListener(
    "keydown",
    (event) => {
      if (event.composedPath().includes(place)) place.toggleAttribute(HELD_OFF, !isSaving(event));
    },
    { signal: stop, capture: true },
  );
}

function isSaving(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "s";
}
