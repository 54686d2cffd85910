import type { Host } from "../../hosts/host";
import type { Conversation } from "../../state/conversation";
import type { Store } from "../../state/store";
import { urgentMessages } from "./messages";
import { notices } from "./notices";
import type { NewWord } from "./words";

/** All that the page says in sentences of its own: in the bar what must not be missed, under it what there is to know. */
export class MessageBoard {
  readonly urgent;
  readonly remarks;
  /** The word that was just added with a suggested row. */
  private newWord: NewWord | null = null;

  /** `focusLost` takes the focus that a vanished message leaves behind. */
  constructor(
    private readonly needs: { host: Host; store: Store; talk: Conversation },
    private readonly typeRow: (word: NewWord) => void,
    focusLost: () => void,
  ) {
    this.urgent = notices("messages", focusLost);
    this.remarks = notices("notes on this picture", focusLost);
  }

  tell(word: NewWord | null): void {
    this.newWord = word;
    this.draw();
  }

  /** What was said about the picture before a change is old news. */
  clear(): void {
    this.newWord = null;
    this.needs.talk.remark.set(null);
  }

  draw(): void {
    const { newWord, typeRow } = this;
    this.urgent.show(urgentMessages({ ...this.needs, newWord, typeRow, forgetWord: () => this.tell(null) }));
    // While the message about a new word stands in the bar, the same news is not told twice.
    const told = (this.needs.talk.picture.value?.data.notices ?? []).filter(
      (text) => newWord === null || !text.includes(`“${newWord.word}”`),
    );
    this.remarks.show(told.map((text) => ({ kind: "note", text })));
  }
}
