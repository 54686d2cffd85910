import { button, switches } from "../../draw/controls";
import { h, uniqueId } from "../../draw/dom";
import type { Script, ScriptFlavour } from "../../wire/types";
import { download, toClipboard } from "./files";

const FLAVOURS: { value: ScriptFlavour; label: string }[] = [
  { value: "numpy", label: "NumPy" },
  { value: "torch", label: "PyTorch" },
];

/** Shows the script that prints this page's numbers, to copy or to keep; `fetch` gives null where it failed. */
export function showScript(
  root: HTMLElement,
  fetch: (flavour: ScriptFlavour) => Promise<Script | null>,
): void {
  const titleId = uniqueId("script");
  const code = h("code");
  const said = h("p", { class: "dialog-message", role: "status" });
  let script: Script | null = null;

  async function load(flavour: ScriptFlavour): Promise<void> {
    script = await fetch(flavour);
    code.textContent = script?.text ?? "";
    said.textContent = script ? "" : "The script could not be made; the page says why.";
  }

  async function copy(): Promise<void> {
    if (!script) return;
    const copied = await toClipboard(script.text);
    said.textContent = copied
      ? "Copied."
      : "The browser does not allow copying here; select the text instead.";
  }

  const which = switches({
    legend: "with",
    options: FLAVOURS,
    value: "numpy",
    onChange: (flavour) => void load(flavour),
  });
  const element = h(
    "dialog",
    { class: "dialog script-dialog", "aria-labelledby": titleId },
    h("h2", { id: titleId }, "These numbers, as Python"),
    h(
      "p",
      null,
      "The script computes every step of this page from the numbers you see now, and prints them.",
    ),
    which.element,
    h("pre", { class: "script", tabindex: "0", "aria-label": "the script" }, code),
    said,
    h(
      "div",
      { class: "dialog-buttons" },
      button({ label: "close", onClick: () => element.close() }),
      button({
        label: "download",
        onClick: () => script && download(script.filename, "text/x-python", script.text),
      }),
      button({ label: "copy", kind: "primary", onClick: () => void copy() }),
    ),
  );
  element.addEventListener("close", () => element.remove());
  root.append(element);
  element.showModal();
  void load("numpy");
}
