// The style sheets first, so that they lie together in the script: what is alike compresses well where it is near.
import "./draw/styles";
import "./views/walkthrough/styles";
import "./views/partstyles";
import "./views/gallery/gallery.css";
import "./hosts/anywidget.css";

import { render } from "./hosts/anywidget";
import { Content, partsOfDocument } from "./hosts/kept/content";
import { keptHost } from "./hosts/kept/kept";
import { socketHost } from "./hosts/socket";
import { mount } from "./mount";
import { addressBar, beginning } from "./state/address";
import { mountGallery } from "./views/gallery/gallery";
import { parts } from "./views/parts";

/** The page of `clearhead serve`: the walkthrough, or at /gallery every component of the visual language. */
function openServed(el: HTMLElement): void {
  if (location.pathname === "/gallery") {
    mountGallery(el);
    return;
  }
  const { signal } = new AbortController();
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const host = socketHost(`${scheme}://${location.host}/ws`, signal);
  mount({ host, el, signal, address: addressBar(window) });
}

/** A page that was saved, with its answers in it. */
async function openKept(el: HTMLElement): Promise<void> {
  const content = await Content.open(partsOfDocument());
  const { signal } = new AbortController();
  const chosen = content.about.parts.flatMap((id) => parts[id] ?? []);
  const bar = addressBar(window);
  const address = beginning(bar, content.about.address);
  // So that what is copied from the bar leads here whatever the page comes to begin with: to this step, this head.
  if (bar.read() === "") address.write(content.about.address, false);
  mount({ host: keptHost(content), el, signal, address, parts: chosen });
}

// What a notebook asks of a widget's script (anywidget's interface).
export default { render };

// A page of Clearhead says what it is; elsewhere the script does nothing by itself.
const kind = document.body?.dataset.clearhead;
if (kind === "served") openServed(document.body);
if (kind === "kept") void openKept(document.body);
