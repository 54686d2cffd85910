import { editEntry, type Setting, setRow, setSetting } from "../../state/changes";
import type { Conversation } from "../../state/conversation";
import type { Store } from "../../state/store";
import type { Edit, Settings } from "../../wire/types";
import type { Figure } from "./figure";
import { download, type Form, toClipboard, written } from "./files";
import { askRow } from "./rowdialog";
import { showScript } from "./scriptdialog";
import type { NewWord } from "./words";

/** What a person can do that needs neither the place nor the light of a cell. */
export interface Actions {
  edit(edit: Edit): void;
  set(setting: Setting, value: string | number | boolean): void;
  /** Asks for the row of a word; `after` is called when the dialog is gone. */
  typeRow(word: NewWord, after: () => void): void;
  copyFigure(figure: Figure, form: Form): Promise<void>;
  script(): void;
  trace(): Promise<void>;
}

export function pageActions(root: HTMLElement, store: Store, talk: Conversation): Actions {
  const state = () => store.page.value.state;

  return {
    edit: (edit) => store.change(editEntry(state(), edit)),
    // The switches offer only values of their own setting.
    set: (setting, value) => store.change(setSetting(state(), setting, value as Settings[Setting])),
    typeRow({ word, row }, after) {
      const now = state().rows?.[word] ?? row;
      askRow(root, word, now, (typed) => store.change(setRow(state(), word, typed)), after);
    },
    async copyFigure(figure, form) {
      const shown = talk.picture.value;
      if (shown === null) return;
      const copied = await toClipboard(written(figure, shown, form, store.page.value.digits));
      const what = `${figure.name} (${figure.shape})`;
      const how = form === "numbers" ? ", every number in full" : ` as ${form}`;
      talk.remark.set(copied ? `Copied ${what}${how}.` : `The browser does not allow copying ${what} here.`);
    },
    script() {
      showScript(root, async (flavour) => {
        const answer = await talk.once("script", { ask: "script", state: state(), flavour }, "script");
        return answer?.data ?? null;
      });
    },
    async trace() {
      const answer = await talk.once("trace", { ask: "trace", state: state() }, "trace");
      const bytes = answer?.reply.buffers[0];
      if (answer && bytes)
        download(
          answer.data.filename,
          answer.data.media_type,
          new Uint8Array(bytes as Uint8Array<ArrayBuffer>),
        );
    },
  };
}
