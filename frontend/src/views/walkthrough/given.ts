import type { Host } from "../../hosts/host";
import type { Conversation } from "../../state/conversation";
import { same } from "../../state/page";
import type { Store } from "../../state/store";
import type { State } from "../../wire/types";

/** Milliseconds after which a typed number is shown without its picture: most pictures come sooner, and nothing blinks. */
const PATIENCE = 400;

/** Numbers that a person gave and that have no picture yet: they must not seem lost while it does not come. */
export class GivenNumbers {
  /** The state whose numbers stand in their cells before they are computed; null while there are none. */
  state: State | null = null;
  private patience: ReturnType<typeof setTimeout> | undefined;

  /** `show` draws the cells that can be given anew. */
  constructor(
    private readonly needs: { host: Host; store: Store; talk: Conversation },
    private readonly show: () => void,
  ) {}

  /** The state has changed, and its picture is on its way. */
  await(): void {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.give(), PATIENCE);
    if (this.state !== null) this.give();
  }

  /** Something went wrong or right again. */
  look(): void {
    if (this.inTrouble()) this.give();
  }

  /** A picture is about to be drawn, together with what it does not have. */
  settle(): void {
    const { store, talk } = this.needs;
    const { state } = store.page.value;
    if (same(talk.picture.value?.state, state)) this.state = null;
    else if (this.state !== null || this.inTrouble()) this.state = state;
  }

  end(): void {
    clearTimeout(this.patience);
  }

  private give(): void {
    const { store, talk } = this.needs;
    const { state } = store.page.value;
    const next = talk.picture.value === null || same(talk.picture.value.state, state) ? null : state;
    if (same(next, this.state)) return;
    this.state = next;
    this.show();
  }

  /** No picture of the present state is to be expected soon. */
  private inTrouble(): boolean {
    const { host, talk } = this.needs;
    return talk.problem.value !== null || host.status.value === "lost" || host.status.value === "silent";
  }
}
