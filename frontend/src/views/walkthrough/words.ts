import { addWord, moveWord, removeWord, replaceWord, setRow } from "../../state/changes";
import type { Conversation } from "../../state/conversation";
import type { Store } from "../../state/store";

/** A word that came with a suggested row, so that the person can be told and can type their own. */
export interface NewWord {
  word: string;
  row: number[];
  how: string;
}

export interface WordChanges {
  add(word: string): Promise<void>;
  replace(at: number, word: string): Promise<void>;
  remove(at: number): void;
  move(from: number, to: number): void;
}

/** The sentence as it stands: the person's own words, or those of the example. */
export function currentTokens(store: Store, talk: Conversation): string[] {
  return store.page.value.state.tokens ?? talk.picture.value?.data.tokens ?? [];
}

/**
 * Changes of the sentence. A word that E does not know first gets a suggested row, in the same step, so that there is
 * never a picture of a sentence that cannot be computed, and one undo takes both back.
 */
export function wordChanges(store: Store, talk: Conversation, told: (word: NewWord) => void): WordChanges {
  function known(word: string): boolean {
    const rows = store.page.value.state.rows ?? {};
    return Object.hasOwn(rows, word) || (talk.picture.value?.data.vocabulary.includes(word) ?? false);
  }

  async function change(typed: string, into: (tokens: string[], word: string) => string[]): Promise<void> {
    const word = typed.trim() === "" ? typed : typed.trim();
    const tokens = () => into(currentTokens(store, talk), word);
    if (known(word)) return store.change({ ...store.page.value.state, tokens: tokens() });
    const { state } = store.page.value;
    const answer = await talk.once(`suggest ${word}`, { ask: "suggest", state, word }, "suggestion");
    if (answer === null) {
      if (talk.problem.value === null)
        talk.remark.set(`“${word}” was not added: the session that suggests its row is away.`);
      return;
    }
    store.change(setRow({ ...store.page.value.state, tokens: tokens() }, word, answer.data.row));
    told({ word, row: answer.data.row, how: answer.data.how });
  }

  return {
    add: (word) => change(word, addWord),
    replace: (at, word) => change(word, (tokens, next) => replaceWord(tokens, at, next)),
    remove(at) {
      store.change({ ...store.page.value.state, tokens: removeWord(currentTokens(store, talk), at) });
    },
    move(from, to) {
      store.change({ ...store.page.value.state, tokens: moveWord(currentTokens(store, talk), from, to) });
    },
  };
}
