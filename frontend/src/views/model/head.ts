import { button, type Switches, switches } from "../../draw/controls";
import { h, refill, replace } from "../../draw/dom";
import type { MapLabel } from "../../draw/mapmodel";
import type { Digits } from "../../draw/numbers";
import { formatNumber } from "../../draw/numbers";
import { positionChip } from "../../draw/palette";
import { createPatches, type Patches } from "../../draw/patches";
import { visibleToken } from "../../draw/token";
import { createTokenLines, type TokenLines } from "../../draw/tokenlines";
import { extent } from "../../draw/values";
import { createWeightMap, type WeightMap, type WeightMapModel } from "../../draw/weightmap";
import { floats } from "../../state/asking";
import { MOST_PINS, type ModelLook, togglePin } from "../../state/model";
import type { Head, Model } from "../../wire/types";
import type { Answer } from "./question";
import { tokenSearch } from "./search";
import { agreementText, labelsOf, statisticsText } from "./words";

export interface HeadView {
  element: HTMLElement;
  update(answer: Answer<"head">, model: Model, look: ModelLook, digits: Digits): void;
  redraw(): void;
  /** The key of the cell that was chosen last. */
  readonly key: number;
}

const CONTRIBUTION =
  "A weight says how much of a value vector is taken. How much a token adds also depends on how long that vector is and on " +
  "W_O: the contribution is the length of weight · value after W_O.";

/** One head: as a map, or as lines from token to token. */
export function headView(change: (part: Partial<ModelLook>) => void): HeadView {
  return new ModelHead(change);
}

class ModelHead implements HeadView {
  readonly element: HTMLElement;
  key = 0;
  private readonly heading = h("h3");
  private readonly agreement = h("p", { class: "agreement" });
  private readonly statistics = h("p", { class: "hint" });
  private readonly facts = h("ul", { class: "facts" });
  private readonly show: Switches<"map" | "lines">;
  private readonly values: Switches<"weights" | "contribution">;
  private readonly ends: Switches<"one" | "largest">;
  private readonly valuesSay = h("p", { class: "hint" });
  private readonly pins = h("ul", { class: "pins", "aria-label": "pinned tokens" });
  private readonly status = h("p", { class: "visually-hidden", role: "status" });
  private readonly place = h("div", { class: "head-place" });
  private readonly patchPlace = h("div", { class: "patch-place", hidden: true });
  private readonly search = tokenSearch((at) => this.found(at));
  private map: WeightMap | null = null;
  private lines: TokenLines | null = null;
  private patches: Patches | null = null;
  private shown: { answer: Answer<"head">; model: Model; look: ModelLook; digits: Digits } | null = null;
  private numbers = new Map<string, Float64Array>();

  constructor(private readonly change: (part: Partial<ModelLook>) => void) {
    this.show = switches({
      legend: "shown as",
      options: [
        { value: "map", label: "map" },
        { value: "lines", label: "lines" },
      ],
      value: "map",
      onChange: (show) => change({ show }),
    });
    this.values = switches({
      legend: "numbers",
      options: [
        { value: "weights", label: "weight" },
        { value: "contribution", label: "contribution" },
      ],
      value: "weights",
      onChange: (values) => change({ values }),
    });
    this.ends = switches({
      legend: "colours end at",
      options: [
        { value: "one", label: "1" },
        { value: "largest", label: "the largest" },
      ],
      value: "one",
      onChange: (ends) => change({ ends }),
    });
    const tools = h(
      "div",
      { class: "toolbar" },
      this.show.element,
      this.values.element,
      this.ends.element,
      this.search.element,
    );
    this.element = h(
      "div",
      { class: "model-head" },
      this.heading,
      this.agreement,
      this.statistics,
      tools,
      this.valuesSay,
      this.pins,
      this.status,
      this.place,
      this.patchPlace,
      this.facts,
    );
  }

  update(answer: Answer<"head">, model: Model, look: ModelLook, digits: Digits): void {
    if (this.shown?.answer !== answer) this.numbers.clear();
    this.shown = { answer, model, look, digits };
    const { data } = answer;
    this.search.setTokens(data.queries);
    this.drawWords(data, look, digits);
    this.drawPins();
    this.draw();
  }

  redraw(): void {
    this.map?.redraw();
    this.lines?.redraw();
    this.patches?.redraw();
  }

  private drawWords(data: Head, look: ModelLook, digits: Digits): void {
    replace(this.heading, data.title, look.changes && [" ", h("span", { class: "tag" }, "changed")]);
    const fails = data.agreement.difference !== null && !data.agreement.agrees;
    this.agreement.classList.toggle("fails", fails);
    replace(this.agreement, fails && h("strong", null, "× "), agreementText(data.agreement));
    replace(
      this.facts,
      data.facts.map((fact) => h("li", null, h("bdi", null, fact))),
    );
    this.statistics.textContent = statisticsText(data.statistics, digits);
    const can = data.contribution !== null;
    this.show.set(look.show ?? "map");
    this.values.setOptions(
      [
        { value: "weights", label: "weight" },
        { value: "contribution", label: "contribution", disabled: !can, hint: data.contribution_note },
      ],
      can ? (look.values ?? "weights") : "weights",
    );
    // Where there are none, it is said why; there is nothing to choose.
    this.values.element.hidden = !can;
    const contributes = can && look.values === "contribution";
    this.ends.element.hidden = contributes;
    this.ends.set(look.ends ?? "one");
    this.valuesSay.textContent = contributes
      ? `${CONTRIBUTION} ${data.contribution_note}`
      : can
        ? ""
        : data.contribution_note;
    this.valuesSay.hidden = this.valuesSay.textContent === "";
  }

  /** Chips of the pinned tokens; pressing one takes its pin away. */
  private drawPins(): void {
    const { answer, look } = this.shown!;
    const { queries } = answer.data;
    const pins = (look.pins ?? []).filter((at) => at < queries.length);
    this.pins.hidden = pins.length === 0;
    refill(
      this.pins,
      this.element.querySelector<HTMLElement>(".head-place [tabindex='0']"),
      pins.map((at) => {
        const made = button({ label: "", title: "take this pin away", onClick: () => this.pin(at) });
        made.classList.add("pin");
        made.setAttribute("aria-label", `unpin ${at} ${queries[at]?.text ?? ""}`);
        made.append(
          positionChip(at, queries[at]?.text ?? "", queries.length),
          h("span", { "aria-hidden": "true" }, " ×"),
        );
        return h("li", null, made);
      }),
    );
  }

  private valuesNow(): { values: Float64Array; largest: number; name: string; value: string } {
    const { answer, look } = this.shown!;
    const { data, buffers } = answer;
    const contributes = look.values === "contribution" && data.contribution !== null;
    const at = contributes ? (data.contribution ?? data.weights) : data.weights;
    const known = this.numbers.get(String(at)) ?? floats(buffers, at);
    this.numbers.set(String(at), known);
    const largest = contributes || look.ends === "largest" ? extent(known) || 1 : 1;
    const what = contributes ? "contribution" : "weights";
    return { values: known, largest, name: `${what} of ${data.label}`, value: contributes ? what : "weight" };
  }

  private draw(): void {
    const { answer, look, digits } = this.shown!;
    const { data, buffers } = answer;
    const rows = {
      ...{ name: `${data.rows} (query: asks)`, labels: labelsOf(data.queries) },
      written: data.query_written,
    };
    const columns = {
      ...{ name: `${data.columns} (key: is asked)`, labels: labelsOf(data.keys) },
      written: data.key_written,
    };
    const hidden = buffers[data.hidden];
    const shared = {
      ...this.valuesNow(),
      ...{ rows, columns, digits, hidden: hidden instanceof Uint8Array ? hidden : null },
      ...{ pins: look.pins ?? [], found: this.search.found },
    };
    if (look.show === "lines") {
      if (this.lines) this.lines.update(shared);
      else this.lines = createTokenLines(shared, { pin: (row) => this.pin(row) });
      if (this.place.firstChild !== this.lines.element) replace(this.place, this.lines.element);
    } else {
      const whole: WeightMapModel = {
        ...shared,
        blind: data.blind,
        side: data.sink_share === null ? null : { name: "sink", values: this.sink(data.sink_share) },
        row: look.query ?? null,
      };
      if (this.map) this.map.update(whole);
      else this.map = createWeightMap(whole, { choose: (row, column) => this.choose(row, column) });
      if (this.place.firstChild !== this.map.element) replace(this.place, this.map.element);
    }
    this.drawPatches(shared.values, shared.largest, rows.labels);
  }

  private sink(at: number): Float64Array {
    const known = this.numbers.get(`sink ${at}`) ?? floats(this.shown!.answer.buffers, at);
    this.numbers.set(`sink ${at}`, known);
    return known;
  }

  /** Where keys are patches, the chosen query's row is laid out as the picture; what comes before the patches is said. */
  private drawPatches(values: Float64Array, largest: number, labels: MapLabel[]): void {
    const { answer, model, look, digits } = this.shown!;
    const { grid } = model;
    const { keys, queries } = answer.data;
    const patches = grid ? grid.rows * grid.columns : 0;
    const lead = keys.length - patches;
    this.patchPlace.hidden = !grid || lead < 0 || lead > 8;
    if (this.patchPlace.hidden || !grid) return;
    const query = Math.min(look.query ?? 0, queries.length - 1);
    const row = values.subarray(query * keys.length, (query + 1) * keys.length);
    const before = [...row.subarray(0, lead)].map(
      (value, i) => `${keys[i]?.text} ${formatNumber(value, digits)}`,
    );
    const made = {
      ...{ name: `patches that query ${query} looks at`, rows: grid.rows, columns: grid.columns, largest },
      values: row.slice(lead),
      says:
        `The picture's ${grid.rows} × ${grid.columns} patches, as query ${query} (${visibleToken(labels[query]?.text ?? "")}) sees them.` +
        (before.length > 0 ? ` Before them: ${before.join(", ")}.` : ""),
    };
    if (this.patches) this.patches.update(made);
    else {
      this.patches = createPatches(made);
      replace(this.patchPlace, this.patches.element);
    }
  }

  /** A click on a row chooses its query and pins it; a click on the chosen one takes the pin away again. */
  private choose(row: number, column: number): void {
    const { look } = this.shown!;
    const pins = look.pins ?? [];
    this.key = column;
    const again = look.query === row && pins.includes(row);
    const next = again || !pins.includes(row) ? togglePin(pins, row) : pins;
    if (next === null) this.status.textContent = FULL;
    this.change({ query: row, pins: next ?? pins });
  }

  private pin(row: number): void {
    const next = togglePin(this.shown?.look.pins ?? [], row);
    if (next === null) this.status.textContent = FULL;
    this.change(next === null ? { query: row } : { query: row, pins: next });
  }

  private found(at: number | null): void {
    if (!this.shown) return;
    this.draw();
    if (at === null) return;
    const { look, answer } = this.shown;
    if (look.show === "lines") this.lines?.show(at);
    else this.map?.show(at, Math.min(at, answer.data.keys.length - 1));
  }
}

const FULL = `At most ${MOST_PINS} tokens are pinned at once; take a pin away first.`;
