import { describe, expect, it } from "vitest";
import { fakeHost, mistake } from "../../state/testing";
import type { Live, LiveSetting, Reply } from "../../wire/types";
import { liveRun, type Moment } from "./run";
import { FIRST_SETTING } from "./settings";

function moment(step: number, finished = false): Reply {
  const data: Live = {
    ...{ kind: "live", step, finished, steps_most: 9, tokens: ["a", "b"], layers: 1, heads: 1 },
    ...{ maps: 0, targets: [-1, 0], losses: 1, scores: 2, measured: [0], best: [0, 0], says: `step ${step}` },
  };
  return { data, buffers: [new Float64Array(4), new Float64Array(step), new Float64Array([0.5])] };
}

function started(first: LiveSetting = FIRST_SETTING) {
  const host = fakeHost();
  const moments: Moment[] = [];
  const problems: string[] = [];
  const run = liveRun(host, first, {
    moment: (one) => moments.push(one),
    changed: () => undefined,
    problem: (text) => problems.push(text),
  });
  return { host, run, moments, problems };
}

describe("a live training", () => {
  it("has one request on its way, and asks for later and later steps until it is finished", async () => {
    const { host, run, moments } = started();
    run.start();
    run.start();
    expect(host.requests).toHaveLength(1);
    expect(host.asked()).toEqual([{ ask: "live", setting: FIRST_SETTING, step: 1 }]);
    await host.requests[0]?.answer(moment(1));
    expect(host.requests).toHaveLength(2);
    const [next] = host.asked();
    expect(next?.ask === "live" && next.step).toBeGreaterThan(1);
    await host.requests[1]?.answer(moment(9, true));
    expect(moments.map(({ data }) => data.step)).toEqual([1, 9]);
    expect(host.requests).toHaveLength(2);
    expect(run.running).toBe(false);
  });

  it("never asks for more than there is", async () => {
    const { host, run } = started();
    run.start();
    await host.requests[0]?.answer(moment(1));
    for (let i = 1; i < 9 && run.running; i++) {
      const [asked] = host.asked();
      expect(asked?.ask === "live" && asked.step).toBeLessThanOrEqual(9);
      await host.requests[i]?.answer(moment(Math.min(9, i + 1), i >= 8));
    }
    expect(run.running).toBe(false);
  });

  it("stops asking when it is paused, and goes on from there", async () => {
    const { host, run } = started();
    run.start();
    run.pause();
    await host.requests[0]?.answer(moment(1));
    expect(host.requests).toHaveLength(1);
    run.start();
    expect(host.asked()).toMatchObject([{ ask: "live" }]);
    const [next] = host.asked();
    expect(next?.ask === "live" && next.step).toBeGreaterThan(1);
  });

  it("drops what is said about another model, and begins the new one at its beginning", async () => {
    const { host, run, moments } = started();
    run.start();
    run.pause();
    const other = { ...FIRST_SETTING, layers: 1 as const };
    run.reset(other);
    expect(host.requests).toHaveLength(1);
    await host.requests[0]?.answer(moment(1));
    expect(moments).toEqual([]);
    expect(host.asked()).toEqual([{ ask: "live", setting: other, step: 0 }]);
    await host.requests[1]?.answer(moment(0));
    expect(moments.map(({ data }) => data.step)).toEqual([0]);
    expect(host.requests).toHaveLength(2);
  });

  it("tells what is wrong and stops; a session that went away is no news here", async () => {
    const { host, run, problems } = started();
    run.start();
    await host.requests[0]?.answer(mistake("Not possible."));
    expect(problems).toEqual(["Not possible."]);
    expect(run.running).toBe(false);
    run.start();
    await host.requests[1]?.lose();
    expect(problems).toHaveLength(1);
    expect(run.running).toBe(false);
  });
});
