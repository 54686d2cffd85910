import type { MapPlace } from "../../../draw/mapmodel";
import { Recent } from "../../../draw/zoomtiles";
import { ConnectionLost, type Host } from "../../../hosts/host";
import type { Look, ModelState } from "../../../wire/types";

/** Milliseconds that the pointer rests on a cell before it is asked about. */
const REST = 8;
/** Answers that are kept for a pointer that comes back. */
const KEPT = 256;

const keyOf = ({ row, column }: MapPlace) => `${row}/${column}`;

/** What is known of single cells. One question is in flight at a time; of those that come meanwhile, the newest is next. */
export class Looking {
  trouble = "";
  private readonly kept = new Recent<Look>(KEPT);
  private state: ModelState | null = null;
  private wanted: MapPlace | null = null;
  private busy = false;
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly host: Host,
    private readonly changed: () => void,
  ) {}

  begin(state: ModelState | null): void {
    this.state = state;
    this.kept.clear();
    this.wanted = null;
    this.trouble = "";
  }

  of(place: MapPlace | null): Look | null {
    return (place && this.kept.get(keyOf(place))) ?? null;
  }

  want(place: MapPlace): void {
    if (this.kept.has(keyOf(place))) return;
    this.wanted = place;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.send(), REST);
  }

  retry(): void {
    this.busy = false;
    this.send();
  }

  private send(): void {
    if (!this.busy && this.wanted && this.state) void this.ask(this.wanted, this.state);
  }

  private async ask(place: MapPlace, state: ModelState): Promise<void> {
    this.busy = true;
    try {
      const [reply] = await this.host.ask([{ ask: "look", state, query: place.row, key: place.column }]);
      if (state === this.state) {
        if (this.wanted === place) this.wanted = null;
        this.trouble = reply?.data.kind === "error" ? reply.data.message : "";
        if (reply?.data.kind === "look") this.kept.set(keyOf(place), reply.data);
        this.changed();
      }
    } catch (failure) {
      if (failure instanceof ConnectionLost) return;
      this.trouble = (failure as Error).message;
      this.wanted = null;
      this.changed();
    }
    this.busy = false;
    this.send();
  }
}
