import { button } from "../../draw/controls";
import { h } from "../../draw/dom";

/** Ticks from the beginning to the end: a long training is watched in larger strides. */
const TICKS = 100;
const CALM_TICKS = 10;
/** Milliseconds between two ticks, at least; each waits for the picture of the one before. */
const PAUSE = 90;
const CALM_PAUSE = 1000;

export interface Player {
  element: HTMLElement;
  update(step: number, last: number, told: string): void;
  /** The picture of a step is drawn. */
  arrived(step: number): void;
  stop(): void;
}

/**
 * A slider through training time, with play and pause. Where motion is unwelcome it plays in few, slow strides. The space
 * key plays and pauses from the slider, too.
 */
export function player(go: (step: number) => void): Player {
  const play = button({ label: "play", onClick: () => toggle() });
  const slider = h("input", {
    type: "range",
    class: "time",
    min: "0",
    step: "1",
    "aria-label": "step of the training",
    oninput: () => {
      pause();
      go(Number(slider.value));
    },
    onkeydown: (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      toggle();
    },
  });
  const readout = h("p", { class: "player-readout" });
  const element = h(
    "div",
    { class: "player", role: "group", "aria-label": "training time" },
    play,
    slider,
    readout,
  );
  let playing = false;
  let now = 0;
  let end = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function toggle(): void {
    if (playing) pause();
    else start();
  }

  function start(): void {
    playing = true;
    play.textContent = "pause";
    if (now >= end) go(0);
    else tick();
  }

  function pause(): void {
    playing = false;
    clearTimeout(timer);
    play.textContent = "play";
  }

  function tick(): void {
    const stride = Math.max(1, Math.ceil(end / (isCalm() ? CALM_TICKS : TICKS)));
    go(Math.min(end, now + stride));
  }

  return {
    element,
    update(step, last, told) {
      now = step;
      end = last;
      // Of a training that kept no step there is nothing to move through.
      play.disabled = last === 0;
      slider.disabled = last === 0;
      slider.max = String(last);
      slider.value = String(step);
      slider.setAttribute("aria-valuetext", told);
      readout.textContent = told;
    },
    arrived(step) {
      if (!playing || step !== now) return;
      clearTimeout(timer);
      if (step >= end) pause();
      else timer = setTimeout(tick, isCalm() ? CALM_PAUSE : PAUSE);
    },
    stop: pause,
  };
}

function isCalm(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
