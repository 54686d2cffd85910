import { h, replace } from "../../draw/dom";
import { bare } from "../../draw/layers";
import { type LoopStep, loopMap } from "../../draw/loop";
import type { Stop, Walkthrough } from "../../wire/types";
import type { StopExtra } from "./extras";
import { isBackwards } from "./foldedaside";
import type { Scene, StopHandlers } from "./scene";

/** The stop that closes the loop, and the one that it turns round at. */
const UPDATE = "update";
const LOSS = "loss";

/** The training loop as one round trip: forwards through every stop to the loss, and back to the update. */
export function roundTripExtra(handlers: StopHandlers): StopExtra {
  const element = h("div", { class: "round-trip" });
  let drawn = "";
  return {
    element,
    place: "before",
    update({ picture }: Scene) {
      const steps = loopSteps(picture.data);
      const signature = JSON.stringify(steps);
      if (signature === drawn) return;
      drawn = signature;
      element.hidden = steps.length === 0;
      replace(element, loopMap(steps, handlers.jump));
    },
  };
}

/** The stops up to the loss, each with the gradients that stand beside it, and the update. */
export function loopSteps({ stops }: Walkthrough): LoopStep[] {
  const end = stops.findIndex((stop) => stop.id === LOSS);
  if (end < 0) return [];
  const forward = stops.slice(0, end + 1).map((stop) => ({
    id: stop.id,
    short: stop.short,
    gradients: gradientsOf(stop),
  }));
  const update = stops.find((stop) => stop.id === UPDATE);
  return update ? [{ id: update.id, short: update.short, gradients: null }, ...forward] : forward;
}

/** The gradient of what the stop makes; of several with a letter each ("dQ dK dV"), all of them. */
function gradientsOf(stop: Stop): string | null {
  const aside = stop.asides?.find(({ id }) => isBackwards(id));
  const [first, ...others] = aside?.quantities.map(bare) ?? [];
  if (first === undefined) return null;
  return isLetter(first) ? [first, ...others.filter(isLetter)].join(" ") : first;
}

function isLetter(name: string): boolean {
  return /^d[A-Z]$/.test(name);
}
