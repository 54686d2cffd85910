import { notice } from "../../draw/controls";
import { h, replace } from "../../draw/dom";
import { asker } from "../../state/asking";
import type { Part, PartNeeds } from "../part";
import { partFrame } from "../partframe";
import { mistakes, remarks, verdict } from "./verdict";
import { TwoWalks } from "./walks";

/** What the checker found of a person's own attention: no example stands behind it. */
export function reportPart(needs: PartNeeds): Part {
  return new ReportPart(needs);
}

class ReportPart implements Part {
  readonly id = "report";
  readonly title = "Is this attention right?";
  readonly short = "Report";
  readonly element: HTMLElement;
  readonly heading: HTMLElement;
  private readonly ask;
  private readonly trouble = h("div");
  private readonly content = h("div", { class: "report" });
  private walks: TwoWalks | null = null;
  private asked = false;

  constructor(private readonly needs: PartNeeds) {
    const { store, host, stop } = needs;
    const frame = partFrame(this.id, this.title, [], this.trouble, this.content);
    this.element = frame.element;
    this.heading = frame.heading;
    this.ask = asker(host);
    const leave = [
      store.page.subscribe(() => this.follow()),
      host.status.subscribe((now) => {
        if (now === "open" && this.content.childElementCount === 0) this.asked = false;
        this.follow();
      }),
    ];
    stop.addEventListener("abort", () => {
      for (const run of leave) run();
      this.walks?.leave();
    });
  }

  /** It belongs to no picture of an example. */
  applies(): boolean {
    return false;
  }

  update(): void {}

  ahead(): boolean {
    this.follow();
    return this.stands;
  }

  private get stands(): boolean {
    return this.needs.store.page.value.state.example === "";
  }

  private follow(): void {
    if (!this.stands) return;
    if (!this.asked) void this.fetch();
    this.walks?.follow();
  }

  private async fetch(): Promise<void> {
    this.asked = true;
    const found = await this.ask({ ask: "report" }, "report");
    if (found === null) return;
    replace(this.trouble, typeof found === "string" && notice({ kind: "error", text: found }));
    if (typeof found === "string") return;
    const { data, buffers } = found;
    this.walks?.leave();
    this.walks = data.example && new TwoWalks(this.needs, data.example, buffers);
    const { walks } = this;
    replace(this.content, verdict(data), walks?.link, remarks(data), walks?.element, mistakes(data));
    walks?.follow();
    this.needs.shown();
  }
}
