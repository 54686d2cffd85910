// Generated from src/clearhead/messages.py by scripts/generate_wire_types.py; change that file and run the script.

/** A formula as nested arrays: [tag, attributes?, ...children]; text only as a child. */
export type MathML = [string, ...(MathML | string | Record<string, string>)[]];

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

/** A program that prints the same numbers. */
export interface AskScript {
  ask: "script";
  state: State;
  flavour: ScriptFlavour;
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

/** The walkthrough; with `before`, what has changed since that state. */
export interface AskWalkthrough {
  ask: "walkthrough";
  state: State;
  before?: State;
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

/** One entry that a person changed; the row is a word for E and an index for every other matrix. */
export interface Edit {
  matrix: EditableMatrix;
  row: string | number;
  column: number;
  value: number;
}

export type EditableMatrix = "E" | "P" | "W_Q" | "W_K" | "W_V" | "W_O";

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
  name: "sin" | "cos" | "max" | "abs";
  arguments: Arithmetic[];
}

/** One line of arithmetic, with its relation to the line before. */
export interface Line {
  relation: Relation;
  arithmetic: Arithmetic;
}

export type MaskFill = "-inf" | "0";

export type MaskName = "none" | "causal";

export type Message = AskExamples | AskWalkthrough | AskExplain | AskSuggest | AskScript | AskTrace;

/** What is wrong with a message, in one sentence, and the field it is in. */
export interface Mistake {
  kind: "error";
  message: string;
  where: string;
}

/** A number, ready to be shown; `symbol` is what it stands for. */
export interface NumberNode {
  kind: "number";
  text: string;
  symbol?: string;
}

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

/** The switches as they stand, and what they can be set to. */
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
}

/** Everything a view is computed from: an example, and what a person changed of it. */
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

export type ViewData = Examples | Walkthrough | Explanation | Suggestion | Script | TraceFile | Mistake;

/** The whole walkthrough of one sentence. */
export interface Walkthrough {
  kind: "walkthrough";
  example: ExampleTitle;
  tokens: string[];
  vocabulary: string[];
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
