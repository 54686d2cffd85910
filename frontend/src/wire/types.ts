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

/** How did this cell come about, of an example or of the chosen head of a model? Of a long text only one row of a head is worked out: that of `query`, or if it is not given the index's first number, which is the query of Q, scores, weights and all that is made of them. Cells keep their true places. */
export interface AskExplain {
  ask: "explain";
  state: State | ModelState;
  quantity: string;
  index: number[];
  digits: Digits;
  query?: number;
}

/** What does one head do? */
export interface AskHead {
  ask: "head";
  state: ModelState;
}

/** The walkthrough of one head; `query` is the row that is looked at, the last if none is named. Of a long text that row alone is worked out. */
export interface AskHeadWalk {
  ask: "headwalk";
  state: ModelState;
  query?: number;
}

/** The strongest links of a head, up to 100: only those that reach `apart` tokens or more. Without `first` the first key, on which many heads rest, is left out. */
export interface AskLinks {
  ask: "links";
  state: ModelState;
  count: number;
  apart: number;
  first: boolean;
}

/** The small model after `step` updates; at 0 it has only been drawn at random. */
export interface AskLive {
  ask: "live";
  setting: LiveSetting;
  step: number;
}

/** One cell of the map, and where else its query looks. */
export interface AskLook {
  ask: "look";
  state: ModelState;
  query: number;
  key: number;
}

/** What does the model make of the text? */
export interface AskModel {
  ask: "model";
  state: ModelState;
}

/** Which models are there? */
export interface AskModels {
  ask: "models";
}

/** Is this the number of that cell? `typed` is what the person wrote: 0.41, −2, 1/3, 41%, −∞. */
export interface AskPractice {
  ask: "practice";
  state: State;
  quantity: string;
  index: number[];
  typed: string;
  digits?: Digits;
}

/** How did every cell of a layer (the first, if none is named) come about? */
export interface AskRecipes {
  ask: "recipes";
  state: State;
  layer?: number;
}

/** What was recorded of a person's own training, at the state's `step`, or at the last saved one before it? */
export interface AskRecording {
  ask: "recording";
  state: State;
}

/** What was found of the function that was checked? */
export interface AskReport {
  ask: "report";
}

/** From how far away did this position gather, through all layers? */
export interface AskRollout {
  ask: "rollout";
  state: ModelState;
  position: number;
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

/** The weights of a part of the map: queries and keys from the first to before the last, in bins of `step`. `step` is a power of two. At most 256 by 256 bins. */
export interface AskTile {
  ask: "tile";
  state: ModelState;
  rows: number[];
  columns: number[];
  step: number;
  pool: Pool;
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

/** What does one head do, at any length? */
export interface AskZoom {
  ask: "zoom";
  state: ModelState;
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

/** A switch on the model: "mask", "scale" or "off" of some heads, or one "weight" set by hand. Without `layer` every layer is meant, of the tower or of all; without `tower` a layer is one of the main tower; without `head` every head. `query`, `key` and `value` belong to a weight; the other weights of its row are left as they are. A mask and a scale are a layer's. */
export interface Change {
  kind: ChangeKind;
  tower?: string;
  layer?: number;
  head?: number;
  query?: number;
  key?: number;
  value?: number;
}

export type ChangeKind = "mask" | "scale" | "off" | "weight";

/** The verdict on a function: "agrees", "differs", or "unasked" where it could not be asked. `possible` are other explanations that fit as well. `example` is null where nothing differs that a person would see. */
export interface CheckReport {
  kind: "report";
  outcome: "agrees" | "differs" | "unasked";
  verdict: string;
  asked: string;
  notes: string[];
  possible: string[];
  mistakes: KnownMistake[];
  example: SmallExample | null;
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
  more?: More;
  total?: Total;
  lines: Line[];
  note?: string;
  sources: CellRef[];
  feeds: Feed[];
  spoken: string;
  text: string;
  latex: string;
}

/** The cells of `quantity` that each cell has a part in: as `Recipe`, but a shape has a list for each pattern. It says of every axis "place", which takes a whole number, or "every". */
export interface Fed {
  quantity: string;
  variants: Variant[];
  which?: number;
}

/** Cells of one quantity that an opened cell has a part in; null stands for every index along that axis. */
export interface Feed {
  quantity: string;
  cells: ((number | null)[])[];
}

/** Which places of a long axis are sent: `places` of `of`, in order; `says` why these, in words. Rows and columns of what is sent belong to these places, and a cell is asked for by them. */
export interface Fold {
  places: number[];
  of: number;
  says: string;
}

/** A function written by its name. */
export interface FunctionNode {
  kind: "function";
  name: "sin" | "cos" | "max" | "abs" | "ln" | "tanh" | "erf";
  arguments: Arithmetic[];
}

/** How patches of a picture lie, row by row; the first is the position `offset`. */
export interface Grid {
  rows: number;
  columns: number;
  offset: number;
}

/** One head. `weights`, `hidden`, `contribution` and `sink_share` are places in the reply's buffers. `title` is its heading. `weights` and `contribution` are (query, key), `hidden` is 1 where a query may not see a key, `sink_share` is (query,). `blind` are the queries that see nothing. `facts` are sentences on how it computes. `query_written` and `key_written` are the first that the model wrote itself, if it wrote any. */
export interface Head {
  kind: "head";
  tower: string;
  layer: number;
  head: number;
  title: string;
  label: string;
  facts: string[];
  rows: string;
  columns: string;
  queries: ModelToken[];
  keys: ModelToken[];
  query_written: number | null;
  key_written: number | null;
  weights: number;
  hidden: number;
  contribution: number | null;
  contribution_note: string;
  sink_share: number | null;
  blind: number[];
  agreement: LayerAgreement;
  statistics: HeadStatistics | null;
}

/** What one head does, in numbers; null where it does not apply. `entropy` in bits, the mean over the queries; `first` the share of the first key, `previous` of the one before, `duplicate` of earlier copies of the query's token, `induction` of what followed them; `distance` in tokens. */
export interface HeadStatistics {
  tower: string;
  layer: number;
  head: number;
  entropy: number | null;
  first: number | null;
  previous: number | null;
  induction: number | null;
  duplicate: number | null;
  distance: number | null;
}

/** The walkthrough of one head on its own numbers. Its quantities may be folded: see `Fold`. */
export interface HeadWalk {
  kind: "headwalk";
  label: string;
  query: number;
  queries: string[];
  keys: string[];
  quantities: Quantity[];
  stops: Stop[];
  notices: string[];
}

/** A key, and the weight that a query gives it. */
export interface KeyWeight {
  key: number;
  weight: number;
}

/** A mistake that the function makes: what it does, where that is met, and how it is usually mended. */
export interface KnownMistake {
  name: string;
  says: string;
  seen: string;
  mend: string;
}

/** Whether the recomputed weights times V is what the kernel returned. Without a comparison the numbers are null. */
export interface LayerAgreement {
  agrees: boolean;
  difference: number | null;
  tolerance: number | null;
  note: string;
}

/** One line of arithmetic, with its relation to the line before. */
export interface Line {
  relation: Relation;
  arithmetic: Arithmetic;
}

/** A cell of the map. */
export interface Link {
  query: number;
  key: number;
  weight: number;
}

/** The strongest links, the strongest first. `note` says why there are fewer than were asked for, or is "". */
export interface Links {
  kind: "links";
  links: Link[];
  note: string;
}

/** A model in training. `maps`, `losses` and `scores` are places in the reply's buffers. `maps` has the weights (layers · heads, query, key) of one sequence that is not trained on, −1 where they are masked, `targets` the key where an induction head looks from each query (−1: nowhere), `scores` how much each head does so at the steps in `measured`, and `best` the layer and the head that do it most. */
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

/** One cell: weight = exp(score − lse). What is no finite number is null. `score` is the number before the softmax, scaled; null where the mask hides the key, and `hidden` says so. `lse` is the natural logarithm of the sum of exp(score) over what the query sees. `entropy` of the row is in bits. `top` are the eight keys with the largest weights. */
export interface Look {
  kind: "look";
  query: number;
  key: number;
  weight: number | null;
  score: number | null;
  lse: number | null;
  hidden: string;
  entropy: number | null;
  top: KeyWeight[];
}

export type MaskFill = "-inf" | "0";

export type MaskName = "none" | "causal";

export type Message = AskExamples | AskWalkthrough | AskExplain | AskSuggest | AskScript | AskTrace | AskPractice | AskRecipes | AskTraining | AskRecording | AskReport | AskLive | AskStudy | AskModels | AskModel | AskHead | AskHeadWalk | AskRollout | AskZoom | AskTile | AskLook | AskLinks;

/** What is wrong with a message, in one sentence, and the field it is in. */
export interface Mistake {
  kind: "error";
  message: string;
  where: string;
}

/** A model on a text, with all its heads. `text` is the one it read; tokens cover it. `main` is the tower that is meant where none is named. `prompt` is how many tokens were given before it went on by itself. `before` is what came next without the changes; it is empty if there are none. `sequences` is how many texts there are. `long`: it has more tokens than whose every weight a page draws, so that its heads are asked for with `AskZoom`, not `AskHead`; and it takes no switches. `fixed`: a saved capture, to which no other text and no switch can be given. `rollout_note` and `walk_note` say why attention is not followed through the layers, and no head walked through, where that is not to be had; else they are "". */
export interface Model {
  kind: "model";
  name: string;
  long: boolean;
  fixed: boolean;
  about: string;
  notes: string[];
  text: string;
  decoder: string;
  sequences: number;
  main: string;
  towers: Tower[];
  statistics: HeadStatistics[];
  statistics_note: string;
  rollout_note: string;
  walk_note: string;
  prompt: number | null;
  grid: Grid | null;
  next: NextToken[];
  before: NextToken[];
  agreement: string;
}

/** One layer. `heads` is 0 where it is no attention, and `what` says what it is. `thumbnails` is a place in the reply's buffers: (head, row, column), 0 where all of a part is masked, 255 where a weight of it is NaN, else 1 + 253 times its largest weight. */
export interface ModelLayer {
  number: number;
  label: string;
  heads: number;
  what: string;
  agreement: LayerAgreement | null;
  thumbnails: number | null;
}

/** What the Model part shows: a model, what it reads, what was changed of it, and the head that was chosen. `model` is one of the names of `Models`. Without `text` it is the model's own first sentence. `generate` is how many tokens it goes on by itself. */
export interface ModelState {
  model: string;
  text?: string;
  decoder?: string;
  generate?: number;
  tower?: string;
  layer?: number;
  head?: number;
  batch?: number;
  changes?: Change[];
}

/** A model to choose. `needs` is what has to be done before it opens, "" if nothing; `text` what it reads first. `decoder` says whether it takes a second text, `generates` whether it can go on by itself. `fixed`: it is a saved capture, to which no other text and no switch can be given. */
export interface ModelTitle {
  name: string;
  title: string;
  about: string;
  needs: string;
  text: string;
  decoder: boolean;
  generates: boolean;
  fixed: boolean;
}

/** One token: the characters of the text from `start` to before `end`, or null where it covers none. `special`: it is a mark. `part`: it is only part of a character. `padding`: it only fills up its sequence. These three are there only where they are true: a long text has many tokens. */
export interface ModelToken {
  text: string;
  start: number | null;
  end: number | null;
  special?: boolean;
  padding?: boolean;
  part?: boolean;
}

/** The models that this server was started with, the study model first. A text of more than `longest` tokens is read as a long one: see `Model.long`. */
export interface Models {
  kind: "models";
  models: ModelTitle[];
  longest: number;
}

/** Of many terms, sorted by size: how many come first, how many more there are, and what those add up to. `zeros` of those are exactly 0, as the terms of keys are that a mask hides. */
export interface More {
  first: number;
  count: number;
  zeros: number;
  text: string;
}

/** A token that may come next. */
export interface NextToken {
  text: string;
  id: number;
  probability: number;
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

/** One parameter at a step: `size` is its root mean square, `moved` how far it is from the first saved step. The latter is the length of the difference over the length of what it was; both are null where they are not known. */
export interface ParameterSize {
  name: string;
  shape: number[];
  size: number | null;
  moved: number | null;
}

export type Pool = "mean" | "largest";

export type PositionScheme = "none" | "sinusoidal" | "learned" | "rotary" | "alibi";

/** base to the power of exponent. */
export interface PowerNode {
  kind: "power";
  base: Arithmetic;
  exponent: Arithmetic;
}

/** The verdict on a predicted number, in a word and in one sentence; `value` is there once it is known. */
export interface Practice {
  kind: "practice";
  quantity: string;
  index: number[];
  label: string;
  typed: string;
  verdict: "right" | "nearly" | "mistake" | "unknown";
  says: string;
  mistakes: PracticeMistake[];
  value?: string;
}

/** A mistake that gives the number that was typed. `step` is the quantity that is made otherwise by it, `value` what the cell then comes to. */
export interface PracticeMistake {
  id: string;
  step: string;
  says: string;
  value: string;
}

/** Factors multiplied. */
export interface ProductNode {
  kind: "product";
  factors: Arithmetic[];
}

/** One named array of the computation; `values`, `difference` and `forbidden` are places in the reply's buffers. `latex` is its name. `shape` is that of the values that are sent. With `folds`, one for each axis, some of them are parts of longer ones. */
export interface Quantity {
  name: string;
  latex: string;
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
  folds?: (Fold | null)[];
}

/** One quantity. `recipes` is null if it was given. `latex` is what LaTeX has before and after the indices of a cell, `formula` the general formula as text. `notes` is what is said of cells beside their arithmetic, as `recipes`: a shape is the pieces of a sentence, which has a whole number between any two of them, and it is empty where nothing is said. */
export interface QuantityRecipes {
  inputs: string[];
  recipes: Recipe | null;
  feeds: Fed[];
  latex: string[];
  formula: string;
  notes?: Recipe;
}

/** top / bottom. */
export interface QuotientNode {
  kind: "quotient";
  top: Arithmetic;
  bottom: Arithmetic;
}

/** The recipes of all cells of a quantity. `which` is a place in the reply's buffers: the variant of each cell. Without it all cells are of the first variant. */
export interface Recipe {
  variants: Variant[];
  which?: number;
}

/** The quantities of a layer, and those of none. */
export interface Recipes {
  kind: "recipes";
  quantities: Record<string, QuantityRecipes>;
}

/** A recorded training at one of its saved steps. `losses` is a place in the reply's buffers: one for each update, of the parameters before it. `facts` are sentences on how it was made. */
export interface Recorded {
  kind: "recording";
  title: string;
  facts: string[];
  losses: number;
  saved: number[];
  step: number;
  parameters: ParameterSize[];
}

export type Relation = "=" | "≈";

/** One step of both: its title, and the names of what it shows. */
export interface ReportStep {
  title: string;
  quantities: string[];
}

/** Attention followed through the layers; `shares` is a place in the reply's buffers: (layer, position). `layers` are their labels. `shares` is null, and `caveat` says why, where it cannot be worked out. */
export interface Rollout {
  kind: "rollout";
  position: number;
  layers: string[];
  shares: number | null;
  caveat: string;
}

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

/** The walkthrough of the function, or that of the reference. `recipes` are those of its quantities, by their names: null where only the numbers of a step are known, and of what is given. What quantities and recipes name are places in the reply's buffers. A quantity's `difference` is yours − right; where it is 0 the two say the same. */
export interface Side {
  quantities: Quantity[];
  recipes: Record<string, QuantityRecipes>;
}

/** The smallest example found on which the numbers differ: both sides, step by step. Where no known mistake reproduces the function's numbers, its side has what it was given and its output. `step` is the first quantity that differs, `cell` the index of its cell that is furthest off, null where none differs. */
export interface SmallExample {
  says: string;
  steps: ReportStep[];
  yours: Side;
  right: Side;
  step: string;
  cell: number[] | null;
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

/** `values` is a place in the reply's buffers: float32 (rows, columns) of bins; −1 where all of a bin is hidden. In the mean of any other bin a hidden cell counts as 0, as in `Zoom`. */
export interface Tile {
  kind: "tile";
  rows: number[];
  columns: number[];
  step: number;
  pool: Pool;
  values: number;
}

/** The largest number of each pooled map, at which its colours end. */
export interface Tops {
  mean: number;
  largest: number;
}

/** What the terms come to. */
export interface Total {
  relation: Relation;
  text: string;
}

/** A part of the model with layers of its own. `rows` and `columns` say what its queries and keys are. `keys` are null where they are the queries: a long text has many tokens. */
export interface Tower {
  name: string;
  title: string;
  rows: string;
  columns: string;
  queries: ModelToken[];
  keys: ModelToken[] | null;
  layers: ModelLayer[];
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

export type Unit = "heads" | "new tokens";

/** A shape, and the rules for its whole numbers and for its numbers. */
export interface Variant {
  shape: unknown[];
  ints: ((number | number | string)[])[];
  floats: ((number | number | string)[])[];
}

export type ViewData = Examples | Walkthrough | Explanation | Suggestion | Script | TraceFile | Training | Live | Study | Mistake | Recipes | Practice | Models | Model | Head | HeadWalk | Rollout | Working | Zoom | Tile | Look | Links | Recorded | CheckReport;

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

/** A reading that is not done; ask again. `done` of `total` are finished, `total` is 0 if not known yet. Any message about such a reading is answered with this. `what` is a sentence about what is going on, `unit` says what is counted, the heads of all layers or the tokens that the model goes on by itself, `seconds` how long since it began. `layers` are those that are finished, in their order. */
export interface Working {
  kind: "working";
  name: string;
  what: string;
  done: number;
  total: number;
  unit: Unit;
  seconds: number;
  layers: WorkingLayer[];
}

/** A layer that is finished while others are not. `thumbnails` is as that of a `ModelLayer`. */
export interface WorkingLayer {
  label: string;
  tower: string;
  number: number;
  heads: number;
  thumbnails: number | null;
}

/** One head as a whole, at any length; what is nearer is asked for by `AskTile`. `mean` and `largest` are places in the reply's buffers: float32 (rows, columns), the weights pooled by their mean and by their maximum. Of r rows, row i stands for the queries from floor(i * queries / r) to before floor((i + 1) * queries / r); the columns stand for keys likewise. −1 where the mask hides all of a bin; NaN where the model's numbers were none. `histogram[d]` is the mean share of a query's weights that lies on keys which stand `edges[d]` to before `edges[d + 1]` positions before it; a negative distance is a key that comes after it. */
export interface Zoom {
  kind: "zoom";
  label: string;
  tower: string;
  layer: number;
  head: number;
  queries: number;
  keys: number;
  rows: string;
  columns: string;
  facts: string[];
  statistics: HeadStatistics | null;
  agreement: LayerAgreement;
  mean: number;
  largest: number;
  edges: number[];
  histogram: number[];
  tops: Tops;
}

export type WireBuffer = Float64Array | Float32Array | Int32Array | Uint8Array;

/** What one message is answered with. */
export interface Reply {
  data: ViewData;
  buffers: WireBuffer[];
}
