import { describe, expect, it } from "vitest";
import type { Note } from "../../src/kernel/note.ts";
import type { Http } from "../../src/ports/http.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** A bot whose venue answers `GET /time` wrongly, on a virtual clock. */

/** How the next answers of `/time` differ from the truth: `undefined` is the truth. */
type Answers = (((trueMs: number) => number) | undefined)[];

/** HTTP whose answers of `/time` follow the list; after its end all are true. */
function timeAnswers(world: World, answers: Answers): Http {
  const { http } = world.ports;
  return {
    close: () => http.close(),
    async request(request) {
      const lie = request.url.endsWith("/time") ? answers.shift() : undefined;
      if (lie === undefined) return http.request(request);
      const result = { serverTime: lie(world.clock.nowMs()) };
      const text = JSON.stringify({ code: 200, errMsg: "OK", result });
      return { status: 200, headers: {}, body: new TextEncoder().encode(text) };
    },
  };
}

function startAt(world: World, answers: Answers): Promise<Bot> {
  return world.settle(
    startLive(world.settings, { ...world.ports, http: timeAnswers(world, answers) }),
  );
}

function notesOf(bot: Bot): Note[] {
  const notes: Note[] = [];
  bot.observers.on((entry) => notes.push(...entry.notes));
  return notes;
}

function warnings(notes: readonly Note[]): string[] {
  return notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
}

const lies: readonly (readonly [string, (trueMs: number) => number])[] = [
  ["0", () => 0],
  ["ten minutes behind", (trueMs) => trueMs - 600_000],
  ["an hour ahead", (trueMs) => trueMs + 3_600_000],
];

describe("a single wrong answer of the venue's clock", () => {
  it.each(lies)("changes nothing in a running bot when it is %s", async (_, lie) => {
    const world = await liveWorld(41);
    const answers: Answers = [];
    const bot = await startAt(world, answers);
    const notes = notesOf(bot);
    await world.clock.runFor(10_000);
    answers.push(lie);
    await world.clock.runFor(120_000);
    expect(answers).toEqual([]);
    expect(world.openOrders(bot)).toHaveLength(4);
    expect(warnings(notes)).toHaveLength(1);
    expect(["VENUE_TIME_IN_DOUBT", "READ_FAILED"]).toContain(warnings(notes)[0]);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary.uptimeBid).toBeGreaterThan(0.97);
    await expectVerified(world);
  });

  it.each(lies)("changes nothing when it is %s and the first of all", async (_, lie) => {
    const world = await liveWorld(42);
    const bot = await startAt(world, [lie]);
    await world.clock.runFor(30_000);
    expect(world.openOrders(bot)).toHaveLength(4);
    const end = await stopped(world, bot);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary).toMatchObject({ ordersRejected: 0 });
    expect(end.summary.uptimeBid).toBeGreaterThan(0.9);
  });
});

describe("three wrong answers of the venue's clock that agree", () => {
  const hourAhead = (trueMs: number): number => trueMs + 3_600_000;

  it("stop quoting only until the next answer, and do not delay the next start", async () => {
    const world = await liveWorld(43);
    const answers: Answers = [];
    const bot = await startAt(world, answers);
    await world.clock.runFor(10_000);
    answers.push(hourAhead, hourAhead, hourAhead);
    await world.clock.runFor(180_000);
    expect(answers).toEqual([]);
    expect(world.openOrders(bot)).toHaveLength(4);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);

    const next = await world.start();
    await world.clock.runFor(10_000);
    expect(world.openOrders(next)).toHaveLength(4);
    expect(await stopped(world, next)).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  });
});
