import type { Theme } from "../draw/controls";

const KEY = "clearhead-theme";

/** The theme a person chose on this machine; it is a taste, not a state, so no link carries it. */
export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : "auto";
  } catch {
    // Storage is refused in some frames; the system's theme is followed there.
    return "auto";
  }
}

export function storeTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
