/**
 * The style sheets, adopted by a document or a shadow root.
 *
 * A constructed sheet is allowed by `style-src 'self'` where a `<style>` element is not, and one sheet serves every
 * widget of a notebook page.
 */
import arithmetic from "./arithmetic.css";
import controls from "./controls.css";
import layout from "./layout.css";
import matrix from "./matrix.css";
import print from "./print.css";
import theme from "./theme.css";

let shared: CSSStyleSheet | null = null;

/** Adds the visual language to `root`, once. */
export function adoptStyles(root: Document | ShadowRoot): void {
  if (!shared) {
    shared = new CSSStyleSheet();
    shared.replaceSync([theme, layout, matrix, arithmetic, controls, print].join("\n"));
  }
  if (!root.adoptedStyleSheets.includes(shared))
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, shared];
}

/** Adds one view's own sheet to `root`. */
export function adoptSheet(root: Document | ShadowRoot, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

/** Sets the theme on the root of a view; "auto" follows the system. */
export function setTheme(element: HTMLElement, theme: "auto" | "light" | "dark"): void {
  if (theme === "auto") element.removeAttribute("data-theme");
  else element.setAttribute("data-theme", theme);
}
