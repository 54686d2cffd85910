import { button } from "../../draw/controls";
import { h, spoken } from "../../draw/dom";
import { findings, verdict } from "../../draw/findings";
import { inline } from "../../draw/inline";
import { type Digits, formatNumber } from "../../draw/numbers";
import { positionChip } from "../../draw/palette";
import { visibleToken } from "../../draw/token";
import type { Study, StudyClaim, StudyFailure, StudyPair } from "../../wire/types";

/** Every claim with its head, its numbers, and the way to see it. */
export function claimsTable(
  claims: StudyClaim[],
  digits: Digits,
  open: (claim: StudyClaim) => void,
): HTMLElement {
  return findings(
    "What heads are said to learn, and what was measured",
    ["claim", "found", "head", "score", "measured on", "cost of switching it off", "see it"],
    claims.map((claim) => [
      inline(claim.says),
      [verdict(claim.held), " ", inline(claim.found)],
      `layer ${claim.layer} head ${claim.head}`,
      formatNumber(claim.score, digits),
      `${claim.measured_on.toLocaleString("en")} sentences`,
      `${percent(claim.drop)} of the words it serves, ${percent(claim.drop_elsewhere)} of the others`,
      [example(claim), seeButton(claim, () => open(claim))],
    ]),
  );
}

export function failuresTable(failures: StudyFailure[]): HTMLElement {
  return findings(
    "The same model, trained with something taken away",
    ["what the text says", "what was found"],
    failures.map(({ says, found, held }) => [inline(says), [verdict(held), " ", inline(found)]]),
  );
}

export function alikeTable(pairs: StudyPair[], digits: Digits): HTMLElement {
  return findings(
    "Words that are used alike have come together, others have not: the cosine of their rows of E",
    ["words", "used alike", "before training", "after training"],
    pairs.map(({ words, alike, before, after }) => [
      words.map((word) => visibleToken(word)).join(" and "),
      alike ? "yes" : "no",
      formatNumber(before, digits),
      formatNumber(after, digits),
    ]),
  );
}

function example({ tokens, query, key }: StudyClaim): HTMLElement {
  const chip = (at: number) => positionChip(at, tokens[at] ?? "", tokens.length);
  return h("span", { class: "claim-example" }, chip(query), " → ", chip(key));
}

function seeButton(claim: StudyClaim, onClick: () => void): HTMLElement {
  const made = button({ label: "open", onClick });
  made.append(spoken(` the sentence for: ${claim.says}`));
  return made;
}

export function sentenceList(study: Study, open: (tokens: string[]) => void): HTMLElement {
  return h(
    "ul",
    { class: "sentences" },
    study.sentences.map((tokens) =>
      h(
        "li",
        null,
        button({ label: tokens.map(visibleToken).join(" "), kind: "quiet", onClick: () => open(tokens) }),
      ),
    ),
  );
}

export interface KeptSteps {
  element: HTMLElement;
  /** Marks the step that the page shows; null: it shows another model. */
  mark(step: number | null): void;
}

/** A button for each step of the training at which the model was kept. */
export function keptSteps({ kept }: Study, choose: (step: number) => void): KeptSteps {
  const buttons = kept.map((step) =>
    button({
      label: step === 0 ? "before training" : `after ${step.toLocaleString("en")} steps`,
      kind: "quiet",
      onClick: () => choose(step),
    }),
  );
  const element = h(
    "div",
    { class: "kept-steps", role: "group", "aria-label": "steps of its training" },
    buttons,
  );
  return {
    element,
    mark(shown) {
      for (const [i, one] of buttons.entries())
        one.setAttribute("aria-current", String(shown !== null && kept[i] === shown));
    },
  };
}

/** "61.1%", as the session writes it in its own sentences. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
