import { describe, expect, it } from "vitest";
import { asker, floats } from "./asking";
import { fakeHost, mistake, settled } from "./testing";

const STUDY = { ask: "study" } as const;
const EXAMPLES = { data: { kind: "examples" as const, examples: [] }, buffers: [] };

describe("a question outside the picture", () => {
  it("is answered with data and buffers, or with a sentence", async () => {
    const host = fakeHost();
    const ask = asker(host);
    const first = ask({ ask: "examples" }, "examples");
    await host.requests[0]?.answer(EXAMPLES);
    expect(await first).toEqual({ data: EXAMPLES.data, buffers: [] });
    const second = ask(STUDY, "study");
    await host.requests[1]?.answer(mistake("There is no study."));
    expect(await second).toBe("There is no study.");
    const third = ask(STUDY, "study");
    await host.requests[2]?.answer(EXAMPLES);
    expect(await third).toBe("The session answered examples to study.");
  });

  it("is dropped for a newer one, and told nothing when the session goes away", async () => {
    const host = fakeHost();
    const ask = asker(host);
    const older = ask({ ask: "examples" }, "examples");
    const newer = ask({ ask: "examples" }, "examples");
    await host.requests[0]?.answer(EXAMPLES);
    expect(await older).toBeNull();
    await host.requests[1]?.lose();
    expect(await newer).toBeNull();
    await settled();
  });

  it("gives numbers only from a buffer of numbers", () => {
    expect(floats([new Float64Array([1, 2])], 0)).toEqual(new Float64Array([1, 2]));
    expect(floats([new Uint8Array([1])], 0)).toHaveLength(0);
    expect(floats([], 3)).toHaveLength(0);
  });
});
