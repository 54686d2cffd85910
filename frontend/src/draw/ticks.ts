/** Round numbers along an axis. */

/** From `most` at the most, evenly spaced round numbers between `from` and `to`, which are finite and differ. */
export function ticks(from: number, to: number, most: number): number[] {
  const rough = (to - from) / Math.max(1, most - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const found: number[] = [];
  const first = Math.ceil(from / step - 1e-9);
  for (let i = first; i * step <= to + step * 1e-9; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}
