/**
 * The style sheets, adopted by a document or a shadow root.
 *
 * A constructed sheet is allowed by `style-src 'self'` where a `<style>` element is not, and one sheet serves every
 * widget of a notebook page.
 */
import arithmetic from "./arithmetic.css";
import chart from "./chart.css";
import chips from "./chips.css";
import controls from "./controls.css";
import expression from "./expression.css";
import findings from "./findings.css";
import headgrid from "./headgrid.css";
import heatmap from "./heatmap.css";
import layout from "./layout.css";
import legend from "./legend.css";
import loop from "./loop.css";
import matrix from "./matrix.css";
import matrixEdit from "./matrix-edit.css";
import patches from "./patches.css";
import print from "./print.css";
import ranking from "./ranking.css";
import scatter from "./scatter.css";
import theme from "./theme.css";
import tokenlines from "./tokenlines.css";
import weightmap from "./weightmap.css";
import zoom from "./zoom.css";

/** Where two sheets speak of one thing, the later one has the last word. */
const SHEETS = [
  theme,
  layout,
  matrix,
  matrixEdit,
  legend,
  arithmetic,
  expression,
  controls,
  chips,
  ranking,
  loop,
  chart,
  scatter,
  heatmap,
  findings,
  weightmap,
  tokenlines,
  headgrid,
  patches,
  zoom,
  print,
];

let shared: CSSStyleSheet | null = null;

/** Adds the visual language to `root`, once. */
export function adoptStyles(root: Document | ShadowRoot): void {
  if (!shared) {
    shared = new CSSStyleSheet();
    shared.replaceSync(SHEETS.join("\n"));
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
