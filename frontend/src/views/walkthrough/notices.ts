import { type NoticeModel, notice } from "../../draw/controls";
import { focused, h } from "../../draw/dom";

export interface Notices {
  element: HTMLElement;
  /** Shows exactly these; one that stays is not made again, so that it is spoken once. */
  show(models: NoticeModel[]): void;
}

export function notices(label: string, focusLost: () => void): Notices {
  const element = h("div", { class: "notices", role: "region", "aria-label": label });
  let shown = new Map<string, HTMLElement>();

  return {
    element,
    show(models) {
      const next = new Map<string, HTMLElement>();
      for (const model of models) {
        const key = `${model.kind} ${model.text}`;
        const known = shown.get(key) ?? notice(model);
        if (!shown.has(key)) element.append(known);
        next.set(key, known);
      }
      const active = focused(element);
      let lost = false;
      for (const [key, old] of shown) {
        if (next.has(key)) continue;
        lost ||= active !== null && old.contains(active);
        old.remove();
      }
      shown = next;
      element.hidden = next.size === 0;
      if (lost) focusLost();
    },
  };
}
