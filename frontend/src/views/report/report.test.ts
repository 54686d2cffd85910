import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { mount } from "../../mount";
import { noAddress } from "../../state/address";
import { fakeFrames, fakeHost, mistake } from "../../state/testing";
import type { CheckReport, Quantity, QuantityRecipes, Reply } from "../../wire/types";
import { reportPart } from "./report";

let frames = fakeFrames();
let open = new AbortController();

beforeEach(() => {
  frames = fakeFrames();
  open = new AbortController();
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => frames.next(run));
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
});

afterEach(() => {
  open.abort();
  vi.unstubAllGlobals();
});

const GIVEN: QuantityRecipes = { inputs: [], recipes: null, feeds: [], latex: ["a_{", "}"], formula: "" };

function quantity(name: string, values: number, more: Partial<Quantity> = {}): Quantity {
  return {
    ...{ name, latex: name, axes: ["query", "key"], shape: [1, 2], values, operation: "given", inputs: [] },
    ...{ formula: null, editable: false, says: `what ${name} is`, scale: "signed" },
    ...more,
  };
}

/** scores [6, 2]; scaled by 1/2 on the right, not at all on the left. */
const REPORT: CheckReport = {
  ...{ kind: "report", outcome: "differs", verdict: "does not agree: it <b>forgets</b> (no-scale)" },
  ...{ asked: "Asked 3 questions.", notes: ["mask none"], possible: ["it does more"] },
  mistakes: [{ name: "no-scale", says: "leaves it", seen: "a copied formula", mend: "Divide." }],
  example: {
    ...{ says: "The smallest example found has 2 tokens.", step: "scaled", cell: [0, 1] },
    steps: [
      { title: "Scores", quantities: ["scores"] },
      { title: "Scale", quantities: ["scaled"] },
    ],
    yours: {
      quantities: [quantity("scores", 0), quantity("scaled", 0, { difference: 2 })],
      recipes: { scores: GIVEN, scaled: GIVEN },
    },
    right: {
      quantities: [
        quantity("scores", 0),
        quantity("scaled", 1, { operation: "scale", inputs: ["scores"], difference: 2 }),
      ],
      recipes: {
        scores: GIVEN,
        scaled: {
          ...{ inputs: ["scores"], feeds: [], latex: ["s_{", "}"], formula: "scaled = scores / 2" },
          recipes: null,
        },
      },
    },
  },
};
const BUFFERS = [Float64Array.of(6, 2), Float64Array.of(3, 1), Float64Array.of(3, 1)];

async function opened(reply: Reply, start = "example=") {
  const el = document.createElement("div");
  document.body.append(el);
  const host = fakeHost();
  mount({
    ...{ host, el, signal: open.signal, parts: [reportPart] },
    address: { ...noAddress(), read: () => start },
  });
  await frames.pass();
  expect(host.requests.flatMap(({ messages }) => messages)).toEqual([{ ask: "report" }]);
  await host.requests[0]?.answer(reply);
  return el;
}

const texts = (el: Element, selector: string) =>
  [...el.querySelectorAll(selector)].map((one) => one.textContent);

it("shows the verdict, both sides of every step, and marks what differs", async () => {
  const el = await opened({ data: REPORT, buffers: BUFFERS });
  expect(texts(el, ".notice")).toEqual(["×does not agree: it <b>forgets</b> (no-scale)"]);
  expect(el.querySelector(".report b")).toBeNull();
  expect(texts(el, ".facts li")).toEqual(["Asked 3 questions.", "Note: mask none", "Or: it does more"]);
  expect(texts(el, ".report-step h3")).toEqual(["Scores = the same", "Scale ≠ the first step that differs"]);
  expect(texts(el, '[data-step="scaled"] .number')).toEqual(["6.00", "2.00", "3.00", "1.00"]);
  const marked = el.querySelectorAll("td.changed");
  expect([...marked].every((cell) => cell.closest('[data-step="scaled"]'))).toBe(true);
  expect(marked).toHaveLength(4);
  expect(marked[0]?.getAttribute("aria-label")).toBe(
    "scaled, query 0, key 0, 6.00, differs from the other side",
  );
  expect(texts(el, ".findings tbody .finding")).toEqual(["it leaves it", "a copied formula", "Divide."]);
});

it("says of a number without a recipe that only its value is known, and what the other side has", async () => {
  const el = await opened({ data: REPORT, buffers: BUFFERS });
  el.querySelector<HTMLElement>('[data-key="report-yours/scaled/all"] td')?.click();
  expect(el.querySelector(".model-arithmetic .arithmetic-note")?.textContent).toBe(
    "only its value is known, not how your function comes to it; the reference has 3.00 here",
  );
  [...el.querySelectorAll("button")].find((one) => one.textContent?.startsWith("to the first"))?.click();
  expect(el.querySelector(".model-arithmetic .arithmetic-title")?.textContent).toContain("scaled[0,1]");
  expect(el.querySelector(".model-arithmetic .arithmetic-note")?.textContent).toBe("yours has 2.00 here");
  expect(el.querySelector("td.opened")?.closest("figure")?.dataset.key).toBe("report-right/scaled/all");
});

it("opens at the cell of its address", async () => {
  const el = await opened({ data: REPORT, buffers: BUFFERS }, "example=&cell=yours.scaled:0:1");
  expect(el.querySelector(".model-arithmetic .arithmetic-place")?.textContent).toBe("yours, query 0, key 1");
});

it("shows what agrees without an example, and what was asked in vain", async () => {
  const none = { mistakes: [], example: null, possible: [] };
  const agrees: CheckReport = { ...REPORT, ...none, outcome: "agrees", verdict: "agrees with it" };
  let el = await opened({ data: agrees, buffers: [] });
  expect(texts(el, ".notice")).toEqual(["✓agrees with it"]);
  expect(el.querySelectorAll(".report-step, .findings, .report button")).toHaveLength(0);
  open.abort();
  open = new AbortController();
  el = await opened(mistake("there is none here"));
  expect(el.querySelector(".part [role=alert]")?.textContent).toContain("there is none here");
});
