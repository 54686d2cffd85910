import { switches } from "../../draw/controls";
import { textField } from "../../draw/dialog";
import { h } from "../../draw/dom";
import type { LiveSetting } from "../../wire/types";

export const FIRST_SETTING: LiveSetting = {
  layers: 2,
  positions: "rotary",
  mask: "causal",
  scale: true,
  seed: 0,
};

/** The largest seed that is taken. */
const MOST_SEED = 999_999;

/** The model to train, switch by switch; every change is a new model. */
export function liveSettings(
  change: (setting: LiveSetting) => void,
  problem: (text: string) => void,
): HTMLElement {
  let setting = FIRST_SETTING;
  const set = (part: Partial<LiveSetting>) => {
    setting = { ...setting, ...part };
    change(setting);
  };
  const layers = switches<1 | 2>({
    legend: "layers",
    options: [
      { value: 1, label: "1" },
      { value: 2, label: "2" },
    ],
    value: setting.layers,
    onChange: (value) => set({ layers: value }),
  });
  const positions = switches<LiveSetting["positions"]>({
    legend: "positions",
    options: [
      { value: "rotary", label: "rotary" },
      { value: "learned", label: "learned" },
      { value: "none", label: "none" },
    ],
    value: setting.positions,
    onChange: (value) => set({ positions: value }),
  });
  const mask = switches<"causal" | "none">({
    legend: "mask",
    options: [
      { value: "causal", label: "causal" },
      { value: "none", label: "none" },
    ],
    value: setting.mask,
    onChange: (value) => set({ mask: value }),
  });
  const scale = switches<boolean>({
    legend: "divide by √d_head",
    options: [
      { value: true, label: "on" },
      { value: false, label: "off" },
    ],
    value: setting.scale,
    onChange: (value) => set({ scale: value }),
  });
  const seed = textField("seed", String(setting.seed));
  seed.input.inputMode = "numeric";
  seed.input.addEventListener("change", () => {
    const typed = seed.input.value.trim();
    if (/^\d{1,6}$/.test(typed)) {
      problem("");
      set({ seed: Number(typed) });
    } else problem(`Seed: “${typed}” was given, and a whole number from 0 to ${MOST_SEED} was expected.`);
  });
  return h(
    "div",
    { class: "settings", role: "group", "aria-label": "the model to train" },
    layers.element,
    positions.element,
    mask.element,
    scale.element,
    seed.element,
  );
}
