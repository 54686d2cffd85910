/** The gallery: every component of the visual language in every state, on sample numbers. */
import { type Theme, themeSwitch } from "../../draw/controls";
import { h } from "../../draw/dom";
import { adoptSheet, adoptStyles, setTheme } from "../../draw/styles";
import { controlStates } from "./controls";
import css from "./gallery.css";
import { editStates, litStates, matrixStates, oddStates, startEditing } from "./matrices";
import { modelStates } from "./models";
import { panelStates } from "./panels";
import { trainingStates, wholeStates } from "./wholes";
import { zoomStates } from "./zooms";

function themeInAddress(): Theme {
  const theme = new URLSearchParams(location.search).get("theme");
  return theme === "light" || theme === "dark" ? theme : "auto";
}

export function mountGallery(root: HTMLElement): void {
  const home = root.getRootNode();
  const sheets = home instanceof ShadowRoot ? home : document;
  adoptStyles(sheets);
  adoptSheet(sheets, css);
  root.classList.add("clearhead");
  const theme = themeInAddress();
  setTheme(root, theme);
  const page = h(
    "main",
    { class: "gallery" },
    h(
      "header",
      { class: "gallery-head" },
      h(
        "div",
        null,
        h("h1", { class: "page-title" }, "The visual language"),
        h(
          "p",
          { class: "lede" },
          "Every component in every state. All numbers here are sample data, chosen by hand.",
        ),
      ),
      themeSwitch(theme, (next) => setTheme(root, next)).element,
    ),
    matrixStates(),
    litStates(),
    editStates(),
    panelStates(),
    controlStates(),
    oddStates(),
    wholeStates(),
    trainingStates(),
    modelStates(),
    zoomStates(),
  );
  root.replaceChildren(page);
  startEditing(root);
}
