import type { MapLabel } from "../../draw/mapmodel";
import { type Digits, formatNumber } from "../../draw/numbers";
import { type ModelLook, STATISTICS, type Statistic } from "../../state/model";
import type { Change, HeadStatistics, LayerAgreement, Model, ModelToken, Tower } from "../../wire/types";

/** The words for a head's statistics, and what each of them is. */
export const MEANING: Record<Statistic, { name: string; title: string; most: number | null }> = {
  entropy: {
    name: "entropy",
    title: "how spread out its weights are: bits, the mean over the queries",
    most: null,
  },
  first: { name: "first token", title: "the share of its weight on the first token", most: 1 },
  previous: { name: "previous", title: "the share on the token just before", most: 1 },
  induction: { name: "induction", title: "the share on what followed an earlier copy of the token", most: 1 },
  duplicate: { name: "duplicate", title: "the share on earlier copies of the token", most: 1 },
  distance: { name: "distance", title: "how far back it looks: tokens, the mean", most: null },
};

export function labelsOf(tokens: readonly ModelToken[]): MapLabel[] {
  return tokens.map((token, position) => {
    const note = token.padding
      ? "padding"
      : token.special
        ? "special"
        : token.part
          ? "part of a character"
          : "";
    return { text: token.text, position, ...(note ? { note } : {}) };
  });
}

/** The tower that is meant; the main one where none is named. */
export function towerOf(model: Model, name: string | undefined): Tower | undefined {
  return model.towers.find((tower) => tower.name === (name ?? model.main)) ?? model.towers[0];
}

/** The tokens that are asked. */
export function keysOf({ queries, keys }: Tower): ModelToken[] {
  return keys ?? queries;
}

/** "entropy 1.20, first token 0.62, ..." */
export function statisticsText(statistics: HeadStatistics | null | undefined, digits: Digits): string {
  if (!statistics) return "";
  return STATISTICS.flatMap((name) => {
    const value = statistics[name];
    return value === null ? [] : `${MEANING[name].name} ${formatNumber(value, digits)}`;
  }).join(", ");
}

/** "it agrees: largest difference 1.2e−6, tolerance 3.1e−5", or why nothing could be compared. */
export function agreementText({ agrees, difference, tolerance, note }: LayerAgreement): string {
  if (difference === null) return note || "There is nothing to compare these numbers with.";
  const within = tolerance === null ? "" : `, tolerance ${scientific(tolerance)}`;
  const verdict = agrees
    ? "Recomputed weights times V is what the kernel returned"
    : "These are not the model's own numbers: recomputed weights times V is not what the kernel returned";
  return `${verdict}: largest difference ${scientific(difference)}${within}.${note ? ` ${note}` : ""}`;
}

function scientific(value: number): string {
  return value === 0 ? "0" : value.toExponential(1).replace("e+", "e").replaceAll("-", "−");
}

/** "no mask, layer 3 head 1" */
export function changeText(change: Change): string {
  const { kind, tower, layer, head, query, key, value } = change;
  const where = [
    tower !== undefined && tower !== "" && tower,
    layer === undefined ? "every layer" : `layer ${layer}`,
    head !== undefined && `head ${head}`,
  ]
    .filter(Boolean)
    .join(" ");
  if (kind === "mask") return `no mask: ${where}`;
  if (kind === "scale") return `no scale: ${where}`;
  if (kind === "off") return `switched off: ${where}`;
  return `weight from ${query} to ${key} set to ${formatNumber(value ?? 0, "full")}: ${where}`;
}

/** Whether a change takes this head away. */
export function switchesOff(
  change: Change,
  tower: string,
  layer: number,
  head: number,
  main: string,
): boolean {
  return (
    change.kind === "off" &&
    (change.tower ?? main) === tower &&
    (change.layer ?? layer) === layer &&
    (change.head ?? head) === head
  );
}

/** Where `wanted` is in the tokens, by their text or by their number. */
export function searchTokens(tokens: readonly ModelToken[], wanted: string): number[] {
  const plain = wanted.trim().toLowerCase();
  if (plain === "") return [];
  return tokens.flatMap((token, at) =>
    token.text.toLowerCase().includes(plain) || String(at) === plain ? at : [],
  );
}

/** What another text takes away, because it belonged to places in the old one; "" if nothing. */
export function letGo(before: ModelLook, after: ModelLook): string {
  const weights = (look: ModelLook) => (look.changes ?? []).filter(({ kind }) => kind === "weight").length;
  const pins = (before.pins?.length ?? 0) - (after.pins?.length ?? 0);
  const set = weights(before) - weights(after);
  const named = [
    pins > 0 && (pins === 1 ? "the pinned token" : `the ${pins} pinned tokens`),
    set > 0 && (set === 1 ? "the weight set by hand" : `the ${set} weights set by hand`),
  ].filter(Boolean);
  if (named.length === 0) return "";
  const were = pins + set === 1 ? "was" : "were";
  return `This is another text: ${named.join(" and ")} ${were} of the old one and ${were} let go.`;
}
