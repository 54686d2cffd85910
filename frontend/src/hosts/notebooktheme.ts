/** The theme of the notebook around a view. */
import type { Theme } from "../draw/controls";
import { type Signal, signal } from "../state/signal";

/** How each notebook says it, on its `html` or `body`. */
const SAYS: readonly [selector: string, theme: Theme][] = [
  // JupyterLab and Notebook 7
  ['body[data-jp-theme-light="false"]', "dark"],
  ['body[data-jp-theme-light="true"]', "light"],
  // VS Code, with its two themes of high contrast
  ["body:is(.vscode-light, .vscode-high-contrast-light)", "light"],
  ["body:is(.vscode-dark, .vscode-high-contrast)", "dark"],
  // Colab
  ['html[theme="dark"]', "dark"],
  ['html[theme="light"]', "light"],
  // marimo
  [":is(html, body):is(.dark, .dark-theme)", "dark"],
  [":is(html, body):is(.light, .light-theme)", "light"],
];

/** The theme that the notebook says it has, or the system's. */
export function notebookTheme(stop: AbortSignal): Signal<Theme> {
  const theme = signal(read());
  const observer = new MutationObserver(() => theme.set(read()));
  const attributeFilter = ["class", "theme", "data-jp-theme-light", "data-vscode-theme-kind"];
  for (const element of [document.documentElement, document.body])
    observer.observe(element, { attributeFilter });
  stop.addEventListener("abort", () => observer.disconnect());
  return theme;
}

function read(): Theme {
  return SAYS.find(([selector]) => document.querySelector(selector) !== null)?.[1] ?? "auto";
}
