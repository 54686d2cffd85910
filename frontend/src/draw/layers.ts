/**
 * The layer in a quantity's name. In a model of several layers `Q` is `layer0.Q`, `layer1.Q` ...; on the page the bare
 * name is shown, and the layer beside it wherever it is not the layer at hand.
 */

const SCOPE = /^layer(\d+)\./;

/** The layer that a name stands in; null where it belongs to none ("E", "logits", or all names of a single layer). */
export function layerOf(name: string): number | null {
  const found = SCOPE.exec(name);
  return found ? Number(found[1]) : null;
}

/** "layer1.Q[0,3]" without its layer: "Q[0,3]". */
export function bare(name: string): string {
  return name.replace(SCOPE, "");
}

/** The same name in another layer; a name without a layer stays as it is. */
export function inLayer(name: string, layer: number): string {
  return layerOf(name) === null ? name : `layer${layer}.${bare(name)}`;
}

/** The name as it is shown to who is in layer `home`: "Q[0,3]", and of another layer "hidden[2,1] (layer 0)". */
export function layered(name: string, home: number | null = null): string {
  const layer = layerOf(name);
  return layer === null || layer === home ? bare(name) : `${bare(name)} (layer ${layer})`;
}
