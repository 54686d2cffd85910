import type { Host } from "../../hosts/host";
import { asker, floats } from "../../state/asking";
import type { Live, LiveSetting } from "../../wire/types";

/** A moment of the model in training, with its numbers at hand. */
export interface Moment {
  data: Live;
  maps: Float64Array;
  losses: Float64Array;
  scores: Float64Array;
}

export interface LiveRun {
  readonly running: boolean;
  start(): void;
  pause(): void;
  /** Back to the model before its first step, with another setting if one is given. */
  reset(setting?: LiveSetting): void;
}

interface RunHandlers {
  moment(moment: Moment): void;
  /** Started, paused, or ended. */
  changed(): void;
  /** One sentence about what went wrong. */
  problem(sentence: string): void;
}

/** Milliseconds that one request should take: short enough that an edit elsewhere on the page does not wait. */
const TURN = 120;
const MOST_STEPS = 25;

/**
 * Trains by asking, again and again, for the model a few steps on: one request at a time, and no timer, so that a slow
 * computer is asked less often instead of falling behind.
 */
export function liveRun(host: Host, first: LiveSetting, handlers: RunHandlers): LiveRun {
  const ask = asker(host);
  let setting = first;
  let step = 0;
  let stride = 1;
  /** The step at which the session stops; it says so in every answer. */
  let most = 1;
  let running = false;
  let finished = false;
  /** Counts the resets: an answer about an older run is dropped. */
  let run = 0;
  let open = false;

  async function turn(): Promise<void> {
    if (open) return;
    open = true;
    const mine = run;
    const sent = performance.now();
    const outcome = await ask(
      { ask: "live", setting, step: running ? Math.min(most, step + stride) : step },
      "live",
    );
    open = false;
    if (mine !== run) {
      void turn();
      return;
    }
    if (outcome === null || typeof outcome === "string") {
      halt();
      if (outcome !== null) handlers.problem(outcome);
      return;
    }
    const { data, buffers } = outcome;
    const took = Math.max(1, performance.now() - sent);
    stride = Math.max(1, Math.min(MOST_STEPS, Math.round((Math.max(1, data.step - step) * TURN) / took)));
    step = data.step;
    finished = data.finished;
    most = data.steps_most;
    handlers.moment({
      data,
      maps: floats(buffers, data.maps),
      losses: floats(buffers, data.losses),
      scores: floats(buffers, data.scores),
    });
    if (finished) halt();
    else if (running) void turn();
  }

  function halt(): void {
    running = false;
    handlers.changed();
  }

  return {
    get running() {
      return running;
    },
    start() {
      if (running) return;
      if (finished) this.reset();
      running = true;
      handlers.changed();
      void turn();
    },
    pause: halt,
    reset(next = setting) {
      setting = next;
      run += 1;
      step = 0;
      finished = false;
      stride = 1;
      void turn();
    },
  };
}
