// Generated from src/clearhead/lenses/palette.py by scripts/generate_wire_types.py; change that file and run the script.

export const LIGHT: readonly string[] = ["#711c98", "#659c64", "#994407", "#aa6078", "#76151a", "#a276fb", "#3179a6", "#279ea4", "#d76821", "#78204f", "#013bfb", "#1b714c"];

export const DARK: readonly string[] = ["#8e77aa", "#97f464", "#eb7d06", "#db0f75", "#ee9685", "#903bdb", "#209af7", "#1f7775", "#9b532a", "#d093ad", "#b2c2f9", "#69f5c6"];

/** For more than twelve positions: lightness and hue from, lightness and hue to, in OKLCH. */
export const RAMPS: Readonly<Record<"light" | "dark", readonly [number, number, number, number]>> = { light: [0.36, 300.0, 0.65, 55.0], dark: [0.55, 300.0, 0.93, 95.0] };
export const RAMP_CHROMA = 0.14;
