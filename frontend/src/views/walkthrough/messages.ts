import type { NoticeModel } from "../../draw/controls";
import type { Host } from "../../hosts/host";
import type { Conversation } from "../../state/conversation";
import type { Store } from "../../state/store";
import type { NewWord } from "./words";

export const LOST = "The server has stopped; your edits are kept here. Reconnecting …";
export const SILENT = "The server does not answer; your edits are kept here. Trying again …";

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
  const says = { lost: LOST, silent: SILENT, ...host.says };
  const trouble = says[host.status.value as keyof typeof says];
  if (trouble !== undefined) models.push({ kind: "warning", text: trouble });
  const problem = talk.problem.value;
  if (problem !== null) {
    const action = store.canUndo
      ? { label: "undo the last change", run: store.undo }
      : { label: "start from the example", run: () => startAgain(store, talk) };
    models.push({ kind: "error", text: problem, action, dismiss: () => talk.problem.set(null) });
  }
  if (newWord !== null) {
    models.push({
      kind: "note",
      text: `“${newWord.word}” is new. ${newWord.how}`,
      action: { label: "type its row", run: () => typeRow(newWord) },
      dismiss: forgetWord,
    });
  }
  const remark = talk.remark.value;
  if (remark !== null) models.push({ kind: "note", text: remark, dismiss: () => talk.remark.set(null) });
  return models;
}

/** The way out of a link that cannot be drawn; an example that does not exist leads to the first one that does. */
function startAgain(store: Store, talk: Conversation): void {
  const examples = talk.examples.value.map((example) => example.name);
  const [first] = examples;
  if (examples.includes(store.page.value.state.example) || first === undefined) store.reset();
  else store.chooseExample(first);
}
