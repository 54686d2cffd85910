import { expect, it } from "vitest";
import { ConnectionLost } from "../hosts/host";
import type { Message, Reply } from "../wire/types";
import { batch } from "./batch";
import { fakeFrames, fakeHost, mistake } from "./testing";

const suggest = (word: string): Message => ({ ask: "suggest", state: { example: "dog" }, word });

function setUp() {
  const host = fakeHost();
  const frames = fakeFrames();
  return { host, frames, questions: batch(host, frames.next) };
}

it("sends all questions asked at once in one request, and gives each its own reply", async () => {
  const { host, frames, questions } = setUp();
  const first = questions.ask("one", suggest("a"));
  const second = questions.ask("two", suggest("b"));
  expect(host.requests).toHaveLength(0);
  await frames.pass();
  expect(host.asked()).toEqual([suggest("a"), suggest("b")]);
  await host.requests[0]?.answer(mistake("for a"), mistake("for b"));
  expect(await first).toEqual(mistake("for a"));
  expect(await second).toEqual(mistake("for b"));
  expect(host.requests).toHaveLength(1);
});

it("drops a reply that is out of date by the time it comes", async () => {
  const { host, frames, questions } = setUp();
  const old = questions.ask("picture", suggest("old"));
  await frames.pass();
  const fresh = questions.ask("picture", suggest("fresh"));
  await host.requests[0]?.answer(mistake("old"));
  expect(await old).toBeNull();
  await frames.pass();
  expect(host.asked()).toEqual([suggest("fresh")]);
  await host.requests[1]?.answer(mistake("fresh"));
  expect(await fresh).toEqual(mistake("fresh"));
});

it("never sends a question that a newer one replaced while it waited", async () => {
  const { host, frames, questions } = setUp();
  const replies = ["a", "b", "c"].map((word) => questions.ask("picture", suggest(word)));
  await frames.pass();
  expect(host.asked()).toEqual([suggest("c")]);
  await host.requests[0]?.answer(mistake("c"));
  expect(await Promise.all(replies)).toEqual([null, null, mistake("c")]);
});

it("keeps one request open at a time", async () => {
  const { host, frames, questions } = setUp();
  void questions.ask("one", suggest("a"));
  await frames.pass();
  void questions.ask("two", suggest("b"));
  await frames.pass();
  expect(host.requests).toHaveLength(1);
  await host.requests[0]?.answer(mistake("a"));
  await frames.pass();
  expect(host.asked()).toEqual([suggest("b")]);
});

it("tells every question of a lost request, and goes on with the next", async () => {
  const { host, frames, questions } = setUp();
  const lost: Promise<Reply | null>[] = [
    questions.ask("one", suggest("a")),
    questions.ask("two", suggest("b")),
  ];
  const told = Promise.allSettled(lost);
  await frames.pass();
  await host.requests[0]?.lose();
  for (const result of await told) {
    expect(result).toMatchObject({ status: "rejected", reason: expect.any(ConnectionLost) });
  }
  void questions.ask("one", suggest("c"));
  await frames.pass();
  expect(host.asked()).toEqual([suggest("c")]);
});

it("tells a question that the session left unanswered", async () => {
  const { host, frames, questions } = setUp();
  const unanswered = expect(questions.ask("one", suggest("a"))).rejects.toThrow(
    "fewer questions than were asked",
  );
  await frames.pass();
  await host.requests[0]?.answer();
  await unanswered;
});
