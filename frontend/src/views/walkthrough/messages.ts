import type { NoticeModel } from "../../draw/controls";
import type { Host } from "../../hosts/host";
import type { Conversation } from "../../state/conversation";
import type { Store } from "../../state/store";
import type { NewWord } from "./words";

export const LOST = "The server has stopped; your edits are kept here. Reconnecting …";

interface Sources {
  host: Host;
  store: Store;
  talk: Conversation;
  newWord: NewWord | null;
  typeRow(word: NewWord): void;
  forgetWord(): void;
}

/** The sentences that stay in sight while the person scrolls: what is wrong now, and what was just done. */
export function urgentMessages({ host, store, talk, newWord, typeRow, forgetWord }: Sources): NoticeModel[] {
  const models: NoticeModel[] = [];
  if (host.status.value === "lost") models.push({ kind: "warning", text: LOST });
  const problem = talk.problem.value;
  if (problem !== null) {
    const undo = store.canUndo ? { action: { label: "undo the last change", run: store.undo } } : {};
    models.push({ kind: "error", text: problem, ...undo, dismiss: () => talk.problem.set(null) });
  }
  if (newWord !== null) {
    models.push({
      kind: "note",
      text: `“${newWord.word}” is new: its row in E is a suggestion, ${newWord.how}.`,
      action: { label: "type its row", run: () => typeRow(newWord) },
      dismiss: forgetWord,
    });
  }
  const remark = talk.remark.value;
  if (remark !== null) models.push({ kind: "note", text: remark, dismiss: () => talk.remark.set(null) });
  return models;
}
