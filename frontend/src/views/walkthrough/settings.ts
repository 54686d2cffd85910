import { type Switches, type SwitchOption, switches } from "../../draw/controls";
import { formatNumber } from "../../draw/numbers";
import type { Setting } from "../../state/changes";
import type { Activation, Norm, PositionScheme, Settings } from "../../wire/types";

type Value = string | number | boolean;

interface SettingSpec {
  setting: Setting;
  legend: string;
  /** The stop where this switch also stands, because that is where its effect begins. */
  stop: string;
  options(settings: Settings): SwitchOption<Value>[];
  /** Whether there is anything to switch; without this, always. */
  applies?(settings: Settings): boolean;
}

const POSITION_NAMES: Record<PositionScheme, string> = {
  none: "none",
  sinusoidal: "sinusoidal",
  learned: "learned",
  rotary: "rotary",
  alibi: "ALiBi",
};

const NORM_NAMES: Record<Norm, string> = { none: "none", layer: "layer norm", rms: "RMS norm" };

const ACTIVATION_NAMES: Record<Activation, string> = {
  relu: "ReLU",
  gelu: "GELU",
  gelu_tanh: "GELU (tanh)",
  swiglu: "SwiGLU",
};

/** Below 1 the likeliest words gain, above 1 the others. */
const TEMPERATURES = [0.5, 1, 2];

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
  {
    setting: "norm",
    legend: "normalise",
    stop: "residual",
    options: () => (["none", "layer", "rms"] as const).map((value) => ({ value, label: NORM_NAMES[value] })),
  },
  {
    setting: "norm_place",
    legend: "where",
    stop: "residual",
    applies: (settings) => settings.norm !== "none",
    options: () => [
      {
        value: "pre",
        label: "before each part",
        hint: "pre-norm: what is added to the stream is left as it is",
      },
      { value: "post", label: "after each part", hint: "post-norm, as in the original transformer" },
    ],
  },
  {
    setting: "activation",
    legend: "activation",
    stop: "feed-forward",
    applies: (settings) => settings.activation_choices.length > 1,
    options: (settings) =>
      settings.activation_choices.map((value) => ({ value, label: ACTIVATION_NAMES[value] ?? value })),
  },
  {
    setting: "temperature",
    legend: "temperature",
    stop: "next-word",
    applies: (settings) => settings.predicts,
    options: ({ temperature }) =>
      [...new Set([...TEMPERATURES, temperature])]
        .sort((a, b) => a - b)
        .map((value) => ({ value, label: formatNumber(value, "full") })),
  },
];

function onOff(): SwitchOption<Value>[] {
  return [
    { value: true, label: "on" },
    { value: false, label: "off" },
  ];
}

/** Whether a setting can be switched to a value; anything can, if nothing is said. */
export type Offers = (setting: Setting, value: Value) => boolean;

export interface SettingSwitch {
  setting: Setting;
  stop: string;
  element: HTMLElement;
  /** `stops` are the stops that the picture has: a switch belongs to a step that is there. */
  update(settings: Settings, stops: ReadonlySet<string>, offers?: Offers): void;
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
      update(settings, stops, offers = () => true) {
        const value = settings[spec.setting];
        const options = spec
          .options(settings)
          .filter((option) => option.value === value || offers(spec.setting, option.value));
        const applies = stops.has(spec.stop) && spec.applies?.(settings) !== false;
        control.element.hidden = !applies || options.length < 2;
        const signature = JSON.stringify(options);
        // Making the radio buttons anew would lose the keyboard focus, so it is done only for other choices.
        if (signature === drawn) control.set(value);
        else control.setOptions(options, value);
        drawn = signature;
      },
    };
  });
}
