import type { Host } from "../hosts/host";
import type { State } from "../wire/types";
import type { ReadAddress } from "./url";

/** The place in `steps` of the last one that is not after `step`; of one before all of them, the first place. */
export function placeOf(steps: readonly number[], step: number): number {
  let at = 0;
  while (at + 1 < steps.length && (steps[at + 1] as number) <= step) at += 1;
  return at;
}

/**
 * What was read, standing on a step that was kept: everything on the page is then of that one step. Where another one was
 * asked for the page says so. A host without `steps`, in order, has every step.
 */
export function onKeptStep({ page, problem }: ReadAddress, steps: readonly number[] = []): ReadAddress {
  const [state, told] = snapped(page.state, steps);
  const before = page.before && snapped(page.before, steps)[0];
  const said = [problem, told].filter((one) => one !== null).join(" ");
  return { page: { ...page, state, before }, problem: said || null };
}

/** Whether a host can judge what is typed about the numbers of a state. */
export function judges(host: Pick<Host, "holds">, state: State): boolean {
  return host.holds?.({ ask: "practice", state, quantity: "", index: [], typed: "" }) ?? true;
}

/** What was read, without a practice that nobody can judge: its numbers would be hidden for good. */
export function judged({ page, problem }: ReadAddress, host: Pick<Host, "holds">): ReadAddress {
  if (page.practice === null || judges(host, page.state)) return { page, problem };
  const told = "This page has no practice, so every number is shown.";
  return { page: { ...page, practice: null }, problem: problem === null ? told : `${problem} ${told}` };
}

function snapped(state: State, steps: readonly number[]): [State, string | null] {
  const kept = state.step === undefined ? undefined : steps[placeOf(steps, state.step)];
  if (kept === undefined || kept === state.step) return [state, null];
  return [{ ...state, step: kept }, `Step ${state.step} was not kept; this is step ${kept}.`];
}
