import { type Switches, type SwitchOption, switches } from "../../draw/controls";
import type { Setting } from "../../state/changes";
import type { PositionScheme, Settings } from "../../wire/types";

type Value = string | number | boolean;

interface SettingSpec {
  setting: Setting;
  legend: string;
  /** The stop where this switch also stands, because that is where its effect begins. */
  stop: string;
  options(settings: Settings): SwitchOption<Value>[];
}

const POSITION_NAMES: Record<PositionScheme, string> = {
  none: "none",
  sinusoidal: "sinusoidal",
  learned: "learned",
  rotary: "rotary",
  alibi: "ALiBi",
};

const SPECS: SettingSpec[] = [
  {
    setting: "positions",
    legend: "positions",
    stop: "embeddings",
    options: (settings) =>
      settings.position_choices.map((value) => ({ value, label: POSITION_NAMES[value] ?? value })),
  },
  {
    setting: "scale_embeddings",
    legend: "embeddings × √d_model",
    stop: "embeddings",
    options: () => onOff(),
  },
  {
    setting: "heads",
    legend: "heads",
    stop: "projections",
    options: (settings) => settings.head_choices.map((value) => ({ value, label: String(value) })),
  },
  { setting: "scale", legend: "divide by √d_head", stop: "scale", options: () => onOff() },
  {
    setting: "mask",
    legend: "mask",
    stop: "mask",
    options: () => [
      { value: "none", label: "none", hint: "as in an encoder: every position sees every position" },
      { value: "causal", label: "causal", hint: "as in a decoder: no position sees a later one" },
    ],
  },
  {
    setting: "mask_fill",
    legend: "masked cells become",
    stop: "mask",
    options: (settings) => {
      const disabled = settings.mask === "none";
      const why = disabled ? { hint: "nothing is masked at the moment" } : {};
      return [
        { value: "-inf", label: "−∞", disabled, ...why },
        { value: "0", label: "0 (a mistake)", disabled, ...why },
      ];
    },
  },
];

function onOff(): SwitchOption<Value>[] {
  return [
    { value: true, label: "on" },
    { value: false, label: "off" },
  ];
}

export interface SettingSwitch {
  setting: Setting;
  stop: string;
  element: HTMLElement;
  update(settings: Settings): void;
}

/** One full set of switches; the page makes two, one at the top and one spread over the stops. */
export function settingSwitches(change: (setting: Setting, value: Value) => void): SettingSwitch[] {
  return SPECS.map((spec) => {
    let drawn = "";
    const control: Switches<Value> = switches<Value>({
      legend: spec.legend,
      options: [],
      value: "",
      onChange: (value) => change(spec.setting, value),
    });
    return {
      setting: spec.setting,
      stop: spec.stop,
      element: control.element,
      update(settings) {
        const options = spec.options(settings);
        const value = settings[spec.setting];
        const signature = JSON.stringify(options);
        // Making the radio buttons anew would lose the keyboard focus, so it is done only for other choices.
        if (signature === drawn) control.set(value);
        else control.setOptions(options, value);
        drawn = signature;
      },
    };
  });
}
