/**
 * Colour arithmetic: OKLCH to sRGB, luminance, contrast.
 *
 * Sources: Björn Ottosson, "A perceptual color space for image processing" (2020) for OKLab; WCAG 2.2 for relative
 * luminance and contrast ratio.
 */

export type RGB = readonly [red: number, green: number, blue: number]; // 0..1, gamma-encoded sRGB

/** OKLCH to sRGB; `hue` in degrees. A colour outside sRGB loses chroma, never lightness or hue. */
export function oklch(lightness: number, chroma: number, hue: number): RGB {
  const inside = (c: number) => linearFromOklch(lightness, c, hue).every((v) => v >= -1e-4 && v <= 1 + 1e-4);
  let [low, high] = [0, chroma];
  if (inside(chroma)) low = chroma;
  else
    for (let step = 0; step < 20; step++) {
      const middle = (low + high) / 2;
      if (inside(middle)) low = middle;
      else high = middle;
    }
  const [r, g, b] = linearFromOklch(lightness, low, hue).map(encode) as [number, number, number];
  return [r, g, b];
}

function linearFromOklch(lightness: number, chroma: number, hue: number): number[] {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function encode(linear: number): number {
  const v = Math.min(1, Math.max(0, linear));
  return v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
}

function decode(encoded: number): number {
  return encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4;
}

export function toHex(rgb: RGB): string {
  return `#${rgb
    .map((v) =>
      Math.round(v * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

export function fromHex(hex: string): RGB {
  const part = (start: number) => Number.parseInt(hex.slice(start, start + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}

/** WCAG relative luminance, 0..1. */
export function luminance(hex: string): number {
  const [r, g, b] = fromHex(hex).map(decode) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** WCAG contrast ratio, 1..21. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** One colour in both themes, as CSS. */
export interface Pair {
  light: string;
  dark: string;
}

export function lightDark(pair: Pair): string {
  return `light-dark(${pair.light}, ${pair.dark})`;
}
