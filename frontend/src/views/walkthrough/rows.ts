import { bare } from "../../draw/layers";
import { nameHere, type Picture } from "../../state/picture";
import type { Aside } from "../../wire/types";
import { axisLabels, type Figure, figuresOf, type RowSource } from "./figure";

/** Figures that compare one query row over several quantities: what the two asides are about. */

export function rowFigures(aside: Aside, picture: Picture, query: number): Figure[] {
  const figures = aside.id === "scaling" ? scaling(picture, query) : contribution(picture, query);
  return figures.filter((figure) => figure.sources.length > 0);
}

/** Quantities of the aside that the comparison does not already show whole. */
export function wholeFigures(aside: Aside, picture: Picture, query: number): Figure[] {
  return aside.quantities
    .filter((name) => bare(name) !== "contribution")
    .flatMap((name) => {
      const drawable = picture.quantities.get(name);
      return drawable ? figuresOf(`${aside.id}-whole`, drawable, picture, query) : [];
    });
}

function scaling(picture: Picture, query: number): Figure[] {
  const { heads } = picture.data.settings;
  const labels = ["divided", "not divided"];
  return Array.from({ length: heads }, (_, head) => [
    comparison(picture, {
      key: `scaling/weights/${head}`,
      name: "weights",
      says: "The same row of weights, with and without the division by √d_head.",
      shape: `head ${head} · query ${query}`,
      labels,
      sources: rowsOf(picture, ["weights_scaled", "weights_unscaled"], [head, query]),
      scale: "weights",
    }),
    comparison(picture, {
      key: `scaling/sensitivity/${head}`,
      name: "sensitivity",
      says: "How far each weight would move with its own score: w(1 − w), at most 0.25.",
      shape: `head ${head} · query ${query}`,
      labels,
      sources: rowsOf(picture, ["sensitivity_scaled", "sensitivity_unscaled"], [head, query]),
      scale: "weights",
    }),
  ]).flat();
}

function contribution(picture: Picture, query: number): Figure[] {
  const { heads } = picture.data.settings;
  const allHeads = Array.from({ length: heads }, (_, head) => head);
  const added = picture.quantities.get(nameHere(picture, "contribution"));
  return [
    comparison(picture, {
      key: "contribution/weights",
      name: "weights",
      says: "How much this row attends to each position.",
      shape: `query ${query}`,
      labels: allHeads.map((head) => `head ${head}`),
      sources: allHeads.flatMap((head) => rowsOf(picture, ["weights"], [head, query])),
      scale: "weights",
    }),
    comparison(picture, {
      key: "contribution/size",
      name: "contribution_size",
      says: "How long the vector is that each position added to this row of the output.",
      shape: `query ${query}`,
      labels: ["size"],
      sources: rowsOf(picture, ["contribution_size"], [query]),
      scale: "signed",
    }),
    comparison(picture, {
      key: "contribution/share",
      name: "contribution_share",
      says: "Each position's signed share along the output row; the shares sum to 1.",
      shape: `query ${query}`,
      labels: ["share"],
      sources: rowsOf(picture, ["contribution_share"], [query]),
      scale: "signed",
    }),
    ...(added ? figuresOf("contribution", added, picture, query) : []),
  ];
}

function rowsOf(picture: Picture, quantities: string[], prefix: number[]): RowSource[] {
  return quantities
    .map((name) => nameHere(picture, name))
    .filter((name) => picture.quantities.has(name))
    .map((quantity) => ({ quantity, prefix }));
}

interface Comparison {
  key: string;
  name: string;
  says: string;
  shape: string;
  labels: string[];
  sources: RowSource[];
  scale: "signed" | "weights";
}

function comparison(picture: Picture, { labels, ...rest }: Comparison): Figure {
  return {
    ...rest,
    rows: { axis: "", kind: "index", labels: labels.slice(0, rest.sources.length) },
    columns: axisLabels("key", picture.data.tokens.length, picture),
    editable: false,
  };
}
