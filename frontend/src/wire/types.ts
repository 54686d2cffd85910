// Generated from src/clearhead/messages.py by scripts/generate_wire_types.py; change that file and run the script.

/** A formula as nested arrays: [tag, attributes?, ...children]; text only as a child. */
export type MathML = [string, ...(MathML | string | Record<string, string>)[]];

export type Activation = "relu" | "gelu" | "gelu_tanh" | "swiglu";

export type Arithmetic = NumberNode | CellNode | SumNode | ProductNode | DifferenceNode | QuotientNode | PowerNode | RootNode | ExpNode | FunctionNode;

/** A question beside a stop. */
export interface Aside {
  id: string;
  title: string;
  text: string[];
  quantities: string[];
}

/** Which examples are there? */
export interface AskExamples {
  ask: "examples";
}

/** How did this cell come about? */
export interface AskExplain {
  ask: "explain";
  state: State;
  quantity: string;
  index: number[];
  digits: Digits;
}

/** The small model after `step` updates; at 0 it has only been drawn at random. */
export interface AskLive {
  ask: "live";
  setting: LiveSetting;
  step: number;
}

/** A program that prints the same numbers. */
export interface AskScript {
  ask: "script";
  state: State;
  flavour: ScriptFlavour;
}

/** What was found in the study model? */
export interface AskStudy {
  ask: "study";
}

/** A row of E for a new word. */
export interface AskSuggest {
  ask: "suggest";
  state: State;
  word: string;
}

/** The trace as a file. */
export interface AskTrace {
  ask: "trace";
  state: State;
}

/** What comes of training as the state's `training` says? */
export interface AskTraining {
  ask: "training";
  state: State;
}

/** The walkthrough of a layer (the first, if none is named); with `before`, what has changed since that state. */
export interface AskWalkthrough {
  ask: "walkthrough";
  state: State;
  before?: State;
  layer?: number;
}

/** A number that is a cell of another quantity. */
export interface CellNode {
  kind: "cell";
  text: string;
  label: string;
  quantity: string;
  index: number[];
}

/** One cell of one quantity. */
export interface CellRef {
  quantity: string;
  index: number[];
}

export type ColourScale = "signed" | "weights";

/** left − right. */
export interface DifferenceNode {
  kind: "difference";
  left: Arithmetic;
  right: Arithmetic;
}

export type Digits = 2 | 3 | 4 | "full";

/** One entry that a person changed of a parameter: "E", "W_1", or of several layers "layer1.W_Q". The row is a word for E and an index for every other parameter; a vector such as b_1 has its entries in column 0. */
export interface Edit {
  matrix: string;
  row: string | number;
  column: number;
  value: number;
}

/** An example to choose. */
export interface ExampleSummary {
  name: string;
  title: string;
  look_for: string;
  tokens: string[];
}

/** The example a walkthrough is of. */
export interface ExampleTitle {
  name: string;
  title: string;
  look_for: string;
}

/** The examples there are. */
export interface Examples {
  kind: "examples";
  examples: ExampleSummary[];
}

/** e to the power of `of`. */
export interface ExpNode {
  kind: "exp";
  of: Arithmetic;
}

/** One cell with its arithmetic, where it came from and where it goes. */
export interface Explanation {
  kind: "explanation";
  quantity: string;
  index: number[];
  label: string;
  place: string;
  value: string;
  full: string;
  formula: MathML | null;
  terms: Term[];
  total?: Total;
  lines: Line[];
  note?: string;
  sources: CellRef[];
  feeds: Feed[];
  spoken: string;
  text: string;
  latex: string;
}

/** Cells of one quantity that an opened cell has a part in; null stands for every index along that axis. */
export interface Feed {
  quantity: string;
  cells: ((number | null)[])[];
}

/** A function written by its name. */
export interface FunctionNode {
  kind: "function";
  name: "sin" | "cos" | "max" | "abs" | "ln" | "tanh" | "erf";
  arguments: Arithmetic[];
}

/** One line of arithmetic, with its relation to the line before. */
export interface Line {
  relation: Relation;
  arithmetic: Arithmetic;
}

/** A model in training. `maps`, `losses` and `scores` are places in the reply's buffers. `maps` has the weights (layers · heads, query, key) of one sequence that is not trained on, `targets` the key where an induction head looks from each query (−1: nowhere), `scores` how much each head does so at the steps in `measured`, and `best` the layer and the head that do it most. */
export interface Live {
  kind: "live";
  step: number;
  finished: boolean;
  steps_most: number;
  tokens: string[];
  layers: number;
  heads: number;
  maps: number;
  targets: number[];
  losses: number;
  scores: number;
  measured: number[];
  best: number[];
  says: string;
}

export type LivePositions = "rotary" | "none" | "learned";

/** The small model that is trained while a person watches. */
export interface LiveSetting {
  layers: 1 | 2;
  positions: LivePositions;
  mask: MaskName;
  scale: boolean;
  seed: number;
}

export type MaskFill = "-inf" | "0";

export type MaskName = "none" | "causal";

export type Message = AskExamples | AskWalkthrough | AskExplain | AskSuggest | AskScript | AskTrace | AskTraining | AskLive | AskStudy;

/** What is wrong with a message, in one sentence, and the field it is in. */
export interface Mistake {
  kind: "error";
  message: string;
  where: string;
}

export type Norm = "none" | "layer" | "rms";

export type NormPlace = "pre" | "post";

/** A number, ready to be shown; `symbol` is what it stands for. */
export interface NumberNode {
  kind: "number";
  text: string;
  symbol?: string;
}

export type Optimizer = "sgd" | "momentum" | "adamw";

export type PositionScheme = "none" | "sinusoidal" | "learned" | "rotary" | "alibi";

/** base to the power of exponent. */
export interface PowerNode {
  kind: "power";
  base: Arithmetic;
  exponent: Arithmetic;
}

/** Factors multiplied. */
export interface ProductNode {
  kind: "product";
  factors: Arithmetic[];
}

/** One named array of the computation; `values`, `difference` and `forbidden` are places in the reply's buffers. */
export interface Quantity {
  name: string;
  axes: string[];
  shape: number[];
  values: number;
  difference?: number;
  reshaped?: boolean;
  operation: string;
  inputs: string[];
  formula: MathML | null;
  editable: boolean;
  says: string;
  scale: ColourScale;
  forbidden?: number;
}

/** top / bottom. */
export interface QuotientNode {
  kind: "quotient";
  top: Arithmetic;
  bottom: Arithmetic;
}

export type Relation = "=" | "≈";

/** A square root. */
export interface RootNode {
  kind: "root";
  of: Arithmetic;
}

/** A program that prints the same numbers. */
export interface Script {
  kind: "script";
  flavour: ScriptFlavour;
  filename: string;
  text: string;
}

export type ScriptFlavour = "numpy" | "torch";

/** The switches as they stand, and what they can be set to. Without a feed-forward network `activation_choices` is empty; `predicts` says whether the model goes on to the next word, which is where a temperature has a meaning. */
export interface Settings {
  heads: number;
  head_choices: number[];
  mask: MaskName;
  mask_fill: MaskFill;
  scale: boolean;
  positions: PositionScheme;
  position_choices: PositionScheme[];
  scale_embeddings: boolean;
  d_model: number;
  d_head: number;
  norm: Norm;
  norm_place: NormPlace;
  activation: Activation;
  activation_choices: Activation[];
  temperature: number;
  predicts: boolean;
}

/** Everything a view is computed from: an example, and what a person changed of it. With `training` and `step` the parameters are those after that many updates; step 0 is as they were given. The example "study" has a training of its own: there `step` alone names one of the steps that were kept of it. */
export interface State {
  example: string;
  tokens?: string[];
  rows?: Record<string, number[]>;
  edits?: Edit[];
  mask?: MaskName;
  mask_fill?: MaskFill;
  scale?: boolean;
  heads?: number;
  positions?: PositionScheme;
  scale_embeddings?: boolean;
  norm?: Norm;
  norm_place?: NormPlace;
  activation?: Activation;
  temperature?: number;
  training?: TrainingPlan;
  step?: number;
}

/** One step of the walkthrough. */
export interface Stop {
  id: string;
  title: string;
  short: string;
  text: string[];
  formulas: MathML[];
  quantities: string[];
  asides?: Aside[];
}

/** The study model and its findings; accuracies are shares of held-out next words. `kept` are the steps of its training at which its parameters were kept: a state of the example "study" can name one of them as its `step`. */
export interface Study {
  kind: "study";
  vocabulary: string[];
  sentences: string[][];
  parameters: number;
  trained: string;
  accuracy: number;
  best_possible: number;
  held_out: number;
  kept: number[];
  claims: StudyClaim[];
  failures: StudyFailure[];
  alike: StudyPair[];
}

/** What the text says a head learns, and what was found. `score` is how much the head does its job on `measured_on` held-out sentences; `drop` is what switching it off costs the predictions it serves, `drop_elsewhere` what it costs the others. `tokens` is a sentence to see it in, where `query` looks at `key`. */
export interface StudyClaim {
  id: string;
  says: string;
  found: string;
  held: boolean;
  layer: number;
  head: number;
  score: number;
  measured_on: number;
  drop: number;
  drop_elsewhere: number;
  tokens: string[];
  query: number;
  key: number;
}

/** The same model trained with something taken away. */
export interface StudyFailure {
  id: string;
  says: string;
  found: string;
  held: boolean;
}

/** Two words: whether they are used alike, and the cosine of their vectors before and after training. */
export interface StudyPair {
  words: string[];
  alike: boolean;
  before: number;
  after: number;
}

/** A row of E for a word the example does not know, and how it was found. */
export interface Suggestion {
  kind: "suggestion";
  word: string;
  row: number[];
  how: string;
}

/** Terms added up. */
export interface SumNode {
  kind: "sum";
  terms: Arithmetic[];
}

/** One term of a sum, worked out. */
export interface Term {
  label: string;
  arithmetic: Arithmetic;
  relation: Relation;
  value: string;
}

/** What the terms come to. */
export interface Total {
  relation: Relation;
  text: string;
}

/** A file to keep; its bytes are buffer 0. */
export interface TraceFile {
  kind: "trace";
  filename: string;
  media_type: string;
}

/** A whole training. `losses`, `points` and `cosines` are places in the reply's buffers. `losses` has one number for each step, and one before the first. At each step in `recorded`, `points` has (x, y) of each word and `cosines` the cosine of each pair of words. `explained` is the share of the spread along x and y. `stopped` says why it ended early. */
export interface Training {
  kind: "training";
  words: string[];
  losses: number;
  recorded: number[];
  points: number;
  explained: number[];
  cosines: number;
  sentences: string[];
  stopped: string | null;
}

/** How the example is trained on its own sentence. */
export interface TrainingPlan {
  optimizer: Optimizer;
  learning_rate: number;
  steps: number;
}

export type ViewData = Examples | Walkthrough | Explanation | Suggestion | Script | TraceFile | Training | Live | Study | Mistake;

/** The walkthrough of one sentence through one layer: its quantities and those that belong to no layer. */
export interface Walkthrough {
  kind: "walkthrough";
  example: ExampleTitle;
  tokens: string[];
  vocabulary: string[];
  layers: number;
  layer: number;
  settings: Settings;
  quantities: Quantity[];
  stops: Stop[];
  notices: string[];
}

export type WireBuffer = Float64Array | Uint8Array;

/** What one message is answered with. */
export interface Reply {
  data: ViewData;
  buffers: WireBuffer[];
}
