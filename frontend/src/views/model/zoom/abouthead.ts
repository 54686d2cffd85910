import { h, replace } from "../../../draw/dom";
import type { Digits } from "../../../draw/numbers";
import type { Zoom } from "../../../wire/types";
import { agreementText, statisticsText } from "../words";

export interface AboutHead {
  /** Which head it is, whether its numbers are the model's own, and its statistics. */
  element: HTMLElement;
  /** What goes down and what goes across. */
  axes: HTMLElement;
  /** What is known of how it was computed. */
  facts: HTMLElement;
  update(data: Zoom, digits: Digits): void;
}

/** What is said of a head around its map. */
export function aboutHead(): AboutHead {
  const heading = h("h3");
  const agreement = h("p", { class: "agreement" });
  const statistics = h("p", { class: "hint" });
  const axes = h("p", { class: "map-axes" });
  const facts = h("ul", { class: "facts" });
  return {
    element: h("div", { class: "stack zoom-about" }, heading, agreement, statistics),
    axes,
    facts,
    update(data, digits) {
      replace(heading, `Layer ${data.layer}, head ${data.head}`, data.tower && ` (${data.tower})`);
      const fails = data.agreement.difference !== null && !data.agreement.agrees;
      agreement.classList.toggle("fails", fails);
      replace(agreement, fails && h("strong", null, "× "), agreementText(data.agreement));
      statistics.textContent = statisticsText(data.statistics, digits);
      replace(
        axes,
        h("span", null, `${data.rows} (query: asks) ↓`),
        h("span", null, `${data.columns} (key: is asked) →`),
      );
      replace(
        facts,
        data.facts.map((fact) => h("li", null, h("bdi", null, fact))),
      );
    },
  };
}
