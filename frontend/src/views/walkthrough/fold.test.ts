import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { foldAway } from "./fold";

let look: () => void;
let ended = false;

beforeEach(() => {
  ended = false;
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(run: () => void) {
        look = run;
      }
      observe(): void {}
      disconnect(): void {
        ended = true;
      }
    },
  );
});

afterEach(() => vi.unstubAllGlobals());

function onPage(folded: HTMLElement): (width: number) => void {
  const page = document.createElement("div");
  page.className = "clearhead";
  page.append(folded);
  return (width) => {
    Object.defineProperty(page, "clientWidth", { value: width, configurable: true });
    look();
  };
}

it.each([
  [1400, true],
  [375, false],
])("stands open only where there is room (%s pixels: %s)", (width, open) => {
  const folded = foldAway(new AbortController().signal, "Settings", "inside");
  onPage(folded)(width);
  expect(folded.open).toBe(open);
  expect(folded.textContent).toBe("Settingsinside");
});

it("leaves what a person opened while the page stays narrow, and ends with the page", () => {
  const stop = new AbortController();
  const folded = foldAway(stop.signal, "Settings");
  const resize = onPage(folded);
  resize(375);
  folded.open = true;
  resize(380);
  expect(folded.open).toBe(true);
  resize(1400);
  resize(375);
  expect(folded.open).toBe(false);
  stop.abort();
  expect(ended).toBe(true);
});
