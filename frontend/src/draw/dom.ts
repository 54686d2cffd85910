/**
 * The one way elements are made.
 *
 * Text only ever enters through text nodes, and attributes through `setAttribute`, so a token such as
 * `<b>x</b>` can never become markup. There is no path to `innerHTML` here, and none elsewhere.
 */

export type Child = Node | string | number | null | undefined | false | readonly Child[];

type Listeners = {
  [K in keyof HTMLElementEventMap as `on${K}`]?: (event: HTMLElementEventMap[K]) => void;
};

/** `class`, `dataset`, `style` (custom properties and others), listeners as `onclick`, and any attribute. */
export type Props = Listeners & {
  class?: string;
  dataset?: Record<string, string>;
  style?: Record<string, string>;
  /** Other attributes: `true` writes an empty attribute, `false`, `null` and `undefined` write none. */
  [attribute: string]: unknown;
};

/** Makes an HTML element: `h("button", { class: "button", onclick: run }, "copy")`. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props?: Props | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) setProp(element, name, value);
  append(element, children);
  return element;
}

function setProp(element: HTMLElement, name: string, value: unknown): void {
  if (value === undefined || value === null || value === false) return;
  if (typeof value === "function") {
    if (!name.startsWith("on"))
      throw new TypeError(`${name} is a function, but only listeners (on…) can be.`);
    element.addEventListener(name.slice(2), value as EventListener);
  } else if (name.startsWith("on")) {
    throw new TypeError(`${name} must be a function, not text.`);
  } else if (name === "dataset") {
    Object.assign(element.dataset, value);
  } else if (name === "style") {
    for (const [property, text] of Object.entries(value as Record<string, string>)) {
      element.style.setProperty(property, text);
    }
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Adds children; nested lists are flattened, and nothing is added for `null`, `undefined` and `false`. */
export function append(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(parent, child as readonly Child[]);
    else if (child instanceof Node) parent.appendChild(child);
    else parent.appendChild(document.createTextNode(String(child)));
  }
}

/** Replaces everything inside `parent`. */
export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** Makes `children` all that is inside `parent`; those that are there are not taken out, so they keep focus and scrolling. */
export function arrangeChildren(parent: Element, children: readonly Element[]): void {
  const wanted = new Set(children);
  for (const one of [...parent.children]) if (!wanted.has(one)) one.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

/** Sets an attribute only when it differs, or removes it for `null`: no needless style work. */
export function attribute(element: Element, name: string, value: string | null): void {
  if (value === null) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}

/** Text for screen readers only. */
export function spoken(text: string): HTMLElement {
  return h("span", { class: "visually-hidden" }, text);
}

/** The focused element in the tree that holds `element`: the document or a shadow root. */
export function focused(element: Element): Element | null {
  const root = element.getRootNode() as Partial<DocumentOrShadowRoot>;
  return root.activeElement ?? null;
}

/**
 * Replaces everything inside `parent`. Where a button in it had the focus, the button now in its place takes it, or the
 * last one, or, where none is left, `otherwise`.
 */
export function refill(parent: Element, otherwise: HTMLElement | null, ...children: Child[]): void {
  const buttons = () => [...parent.querySelectorAll("button")];
  const at = buttons().indexOf(focused(parent) as HTMLButtonElement);
  replace(parent, ...children);
  if (at < 0) return;
  const now = buttons();
  (now[Math.min(at, now.length - 1)] ?? otherwise)?.focus();
}

let counter = 0;

/** An id that no other component in this document has, in any root and in any notebook cell. */
export function uniqueId(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}-${seed}`;
}

// Two copies of the bundle can live in one notebook page; each counts for itself, so each needs its own suffix.
const seed = Math.floor(performance.timeOrigin + performance.now() * 1000)
  .toString(36)
  .slice(-6);
