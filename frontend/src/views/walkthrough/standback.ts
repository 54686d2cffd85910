import { button } from "../../draw/controls";
import { h } from "../../draw/dom";

/** What the mounted element is called while a model is what the page is about (see page.css). */
const ABOUT_MODEL = "about-model";

/**
 * A page that was opened for a model begins with that model: the worked example and everything that belongs to it stand
 * back behind one line, until someone opens them or does something that concerns them.
 */
export class StandBack {
  readonly element: HTMLElement;

  constructor(
    private readonly root: HTMLElement,
    /** Whether there is an example to open. */
    private readonly can: boolean,
    opened: () => void,
  ) {
    this.element = h(
      "div",
      { class: "reading stand-back" },
      h(
        "p",
        null,
        h("span", null, "The worked example, where every number was picked by hand, is folded away. "),
        button({
          label: "open the worked example",
          kind: "quiet",
          onClick: opened,
        }),
      ),
    );
    this.set(false);
  }

  get on(): boolean {
    return this.root.classList.contains(ABOUT_MODEL);
  }

  set(on: boolean): void {
    this.root.classList.toggle(ABOUT_MODEL, on);
    this.element.hidden = !on || !this.can;
  }
}
