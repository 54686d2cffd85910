import { socketHost } from "./hosts/socket";
import { mount } from "./mount";
import { addressBar } from "./state/address";
import { mountGallery } from "./views/gallery/gallery";

/** The page of `clearhead serve`: the walkthrough, or at /gallery every component of the visual language. */
const el = document.body;
const { signal } = new AbortController();

if (location.pathname === "/gallery") {
  mountGallery(el);
} else {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  mount({
    host: socketHost(`${scheme}://${location.host}/ws`, signal),
    el,
    signal,
    address: addressBar(window),
  });
}
