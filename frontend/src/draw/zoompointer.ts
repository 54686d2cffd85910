/** Mouse, touch and wheel over the deep zoom: one pointer moves it, two pinch it, the wheel zooms around the pointer. */

interface Moves {
  /** Whether the whole is seen: then there is nothing to move, and a wheel that leads further away scrolls the page. */
  whole(): boolean;
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
  point(x: number, y: number): void;
  leave(): void;
  /** Whether there is something to open; then it waits for a second click, which zooms instead. */
  click(x: number, y: number): boolean;
  open(): void;
}

interface Finger {
  x: number;
  y: number;
}

/** A pointer that moved no more than this has clicked. */
const STILL = 4;
/** Milliseconds within which a second click is a double click. */
const TWICE = 260;
/** A wheel that was scrolling the page so many milliseconds ago goes on scrolling it. */
const SCROLLS = 200;
/** How much larger a turn of the wheel by one pixel makes it: a usual notch of 100 pixels, 1.35 times. */
const WHEEL = 0.003;

export function wheelFactor({ deltaY, deltaMode }: Pick<WheelEvent, "deltaY" | "deltaMode">): number {
  const pixels = deltaY * (deltaMode === 1 ? 33 : deltaMode === 2 ? 400 : 1);
  return Math.exp(-Math.max(-300, Math.min(300, pixels)) * WHEEL);
}

export class Gestures {
  private readonly fingers = new Map<number, Finger>();
  /** How far the pointer went since it was pressed. */
  private path = 0;
  private pinched = false;
  private scrolled = -SCROLLS;
  private clicking: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly frame: HTMLElement,
    private readonly moves: Moves,
    stop: AbortSignal,
  ) {
    frame.addEventListener("pointerdown", (event) => this.down(event));
    frame.addEventListener("pointermove", (event) => this.move(event));
    frame.addEventListener("pointerup", (event) => this.up(event, true));
    frame.addEventListener("pointercancel", (event) => this.up(event, false));
    frame.addEventListener("pointerleave", () => moves.leave());
    frame.addEventListener("dblclick", (event) => this.twice(event));
    frame.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    const elsewhere = (event: WheelEvent) => {
      if (!event.composedPath().includes(frame)) this.scrolled = event.timeStamp;
    };
    frame.ownerDocument.addEventListener("wheel", elsewhere, { passive: true, signal: stop });
  }

  /** Whether a pointer is down. */
  get held(): boolean {
    return this.fingers.size > 0;
  }

  private place(event: MouseEvent): Finger {
    const box = this.frame.getBoundingClientRect();
    return {
      x: event.clientX - box.left - this.frame.clientLeft,
      y: event.clientY - box.top - this.frame.clientTop,
    };
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.fingers.set(event.pointerId, this.place(event));
    this.path = 0;
    this.pinched = this.fingers.size > 1;
    this.frame.setPointerCapture?.(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const now = this.place(event);
    const before = this.fingers.get(event.pointerId);
    if (!before) {
      this.moves.point(now.x, now.y);
      return;
    }
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    this.path += Math.abs(dx) + Math.abs(dy);
    if (this.fingers.size === 2) this.pinch(event.pointerId, before, now);
    else if (this.path > STILL) this.moves.pan(dx, dy);
    else return;
    this.fingers.set(event.pointerId, now);
  }

  private pinch(id: number, before: Finger, now: Finger): void {
    const [other] = [...this.fingers].filter(([key]) => key !== id).map(([, finger]) => finger);
    if (!other) return;
    const apart = (a: Finger) => Math.max(12, Math.hypot(a.x - other.x, a.y - other.y));
    this.moves.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    this.moves.zoom(apart(now) / apart(before), (now.x + other.x) / 2, (now.y + other.y) / 2);
  }

  private up(event: PointerEvent, done: boolean): void {
    const had = this.fingers.delete(event.pointerId);
    if (!had || !done || this.path > STILL || this.pinched) return;
    const { x, y } = this.place(event);
    clearTimeout(this.clicking);
    if (this.moves.click(x, y)) this.clicking = setTimeout(() => this.moves.open(), TWICE);
  }

  private twice(event: MouseEvent): void {
    clearTimeout(this.clicking);
    event.preventDefault();
    const { x, y } = this.place(event);
    this.moves.zoom(event.shiftKey ? 1 / 3 : 3, x, y);
  }

  /** Whoever scrolls past the map scrolls on; whoever begins over it, zooms. */
  private wheel(event: WheelEvent): void {
    const factor = wheelFactor(event);
    const scrolls = event.timeStamp - this.scrolled < SCROLLS && !event.ctrlKey;
    if (scrolls || event.deltaY === 0 || (this.moves.whole() && factor <= 1)) {
      this.scrolled = event.timeStamp;
      return;
    }
    event.preventDefault();
    const { x, y } = this.place(event);
    this.moves.zoom(event.ctrlKey ? factor ** 3 : factor, x, y);
  }
}
