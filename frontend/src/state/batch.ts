import type { Host } from "../hosts/host";
import type { Message, Reply } from "../wire/types";

/** What a question is about; a newer question about the same thing makes the older one out of date. */
export type Topic = string;

export interface Batch {
  /** The reply, or null when a newer question on the same topic made it out of date. Rejects as the host does. */
  ask(topic: Topic, message: Message): Promise<Reply | null>;
}

interface Question {
  topic: Topic;
  message: Message;
  turn: number;
  resolve(reply: Reply | null): void;
  reject(problem: unknown): void;
}

/**
 * Gathers the questions of one task into one request, because a request has a fixed cost in every host.
 * One request is open at a time: while it is, newer questions wait and replace older ones on their topic, so that
 * fast typing never builds a queue that the session must work through.
 */
export function batch(host: Host, soon: (run: () => void) => void): Batch {
  const newest = new Map<Topic, number>();
  let queue: Question[] = [];
  let scheduled = false;
  let open = false;

  function schedule(): void {
    if (scheduled || open || queue.length === 0) return;
    scheduled = true;
    soon(() => {
      scheduled = false;
      void send();
    });
  }

  async function send(): Promise<void> {
    const questions = queue;
    queue = [];
    open = true;
    try {
      const replies = await host.ask(questions.map((question) => question.message));
      for (const [i, question] of questions.entries()) settle(question, replies[i]);
    } catch (problem) {
      for (const question of questions) question.reject(problem);
    } finally {
      open = false;
      schedule();
    }
  }

  function settle(question: Question, reply: Reply | undefined): void {
    if (newest.get(question.topic) !== question.turn) question.resolve(null);
    else if (reply === undefined)
      question.reject(new Error("The session answered fewer questions than were asked."));
    else question.resolve(reply);
  }

  return {
    ask(topic, message) {
      const turn = (newest.get(topic) ?? 0) + 1;
      newest.set(topic, turn);
      for (const older of queue) if (older.topic === topic) older.resolve(null);
      queue = queue.filter((older) => older.topic !== topic);
      return new Promise((resolve, reject) => {
        queue.push({ topic, message, turn, resolve, reject });
        schedule();
      });
    },
  };
}
