import { afterEach, expect, it, vi } from "vitest";
import { foldAway } from "./fold";

class FakeMedia extends EventTarget {
  constructor(public matches: boolean) {
    super();
  }
}

afterEach(() => vi.unstubAllGlobals());

it.each([true, false])("stands open only where there is room (room: %s)", (roomy) => {
  vi.stubGlobal("matchMedia", () => new FakeMedia(roomy));
  const folded = foldAway(new AbortController().signal, "Settings", "inside");
  expect(folded.open).toBe(roomy);
  expect(folded.textContent).toBe("Settingsinside");
});

it("follows the window until the page ends", () => {
  const media = new FakeMedia(true);
  vi.stubGlobal("matchMedia", () => media);
  const stop = new AbortController();
  const folded = foldAway(stop.signal, "Settings");
  media.matches = false;
  media.dispatchEvent(new Event("change"));
  expect(folded.open).toBe(false);
  stop.abort();
  media.matches = true;
  media.dispatchEvent(new Event("change"));
  expect(folded.open).toBe(false);
});
