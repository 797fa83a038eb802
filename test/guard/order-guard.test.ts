import { describe, expect, it } from "vitest";
import { TouchlineError } from "../../src/base/error.ts";
import type { GuardLine, HeldCancel } from "../../src/control/guard-protocol.ts";
import { addressOf, type OrderId } from "../../src/domain/ids.ts";
import { OrderGuard, type GuardEnd, type GuardState } from "../../src/guard/order-guard.ts";
import type { LineConnection } from "../../src/ports/line-connection.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";

const owner = addressOf(`0x${"aa".repeat(20)}`);
const rest = "http://127.0.0.1:1";
const id = (at: number) => `0x${at.toString(16).padStart(64, "0")}` as OrderId;

function cancelOf(orderId: OrderId, nonce: number): HeldCancel {
  return {
    orderId,
    orderNonce: nonce - 1,
    isAcknowledged: true,
    bytesHex: "0x1",
    txHash: id(99),
    nonce,
  };
}

/** A bot's side of a connection, held by a test. */
class FakeBot implements LineConnection {
  #listeners: ((line: string) => void)[] = [];
  #close: () => void = () => undefined;
  readonly received: string[] = [];
  readonly closed = new Promise<void>((resolve) => {
    this.#close = resolve;
  });

  send(line: string): void {
    this.received.push(line);
  }

  onLine(listener: (line: string) => void): void {
    this.#listeners.push(listener);
  }

  end(): void {
    this.#close();
  }

  says(...lines: readonly GuardLine[]): void {
    for (const line of lines) this.saysText(JSON.stringify(line));
  }

  saysText(line: string): void {
    for (const listener of this.#listeners) listener(line);
  }
}

const marketIds = ["1_2"];
const hello = (run: string): GuardLine => {
  return { event: "hello", owner: owner ?? "", rest, run, marketIds };
};
const beat: GuardLine = { event: "beat", venueMs: null };

/** `lagMs`: by how much every timer of the guard is late, as on a machine that has too much to do. */
function world(
  options: {
    readonly isOnce?: boolean;
    readonly lagMs?: number;
    /** Open orders for which the guard held no cancel. */
    readonly unheld?: readonly OrderId[];
    /** Why the guard may not speak to what listens. */
    readonly refusal?: Error;
  } = {},
) {
  const clock = new VirtualClock();
  const states: GuardState[] = [];
  const sent: OrderId[][] = [];
  const uncovered: OrderId[][] = [];
  const markets: (readonly string[])[] = [];
  let bots: FakeBot[] = [];
  const stop = new AbortController();
  const guard = new OrderGuard({
    journal: "/journal",
    owner,
    rest,
    silentAfterMs: 5_000,
    windowMs: 60_000,
    isOnce: options.isOnce ?? false,
    clock,
    timer: {
      after: (ms, callback) => clock.after(ms + (options.lagMs ?? 0), callback),
      soon: (callback) => clock.soon(callback),
    },
    async connect() {
      const [bot] = bots;
      if (bot === undefined) throw options.refusal ?? new Error("ECONNREFUSED");
      return bot;
    },
    async cancel({ held, marketIds: ofBot }) {
      markets.push(ofBot);
      const orders = held.orders().map(({ orderId }) => orderId);
      sent.push(orders);
      uncovered.push([...held.uncovered]);
      return { held: orders.length, left: [], unheld: options.unheld ?? [], isListed: true };
    },
    report: (state) => void states.push(state),
  });
  let end: GuardEnd | Error | undefined;
  void guard.run(stop.signal).then(
    (result) => (end = result),
    (error: Error) => (end = error),
  );
  return {
    clock,
    states,
    sent,
    uncovered,
    markets,
    stop,
    end: () => end,
    /** The bot listens from now on. */
    async start(): Promise<FakeBot> {
      const bot = new FakeBot();
      bots = [bot];
      await clock.runFor(1_000);
      return bot;
    },
    /** The bot's process has died just now. */
    lose(bot: FakeBot): void {
      bots = [];
      bot.end();
    },
    /** The bot's process has died. */
    async die(bot: FakeBot): Promise<void> {
      bots = [];
      bot.end();
      await clock.runFor(1_000);
    },
    /** The bot works for this long. */
    async works(bot: FakeBot, forMs: number): Promise<void> {
      for (let ms = 0; ms < forMs; ms += 1_000) {
        bot.says(beat);
        await clock.runFor(1_000);
      }
    },
  };
}

describe("a guard", () => {
  it("sends nothing while the bot works, and all it holds when the bot's process is gone", async () => {
    const { clock, start, works, die, sent, end, states } = world();
    const bot = await start();
    expect(bot.received[0]).toBe('{"command":"guard","journal":"/journal"}');
    const nowMs = clock.nowMs();
    bot.says(hello("one"), {
      event: "standby",
      cancels: [1, 2, 3].map((at) => cancelOf(id(at), nowMs + at)),
    });
    bot.says({ event: "ended", orderIds: [id(2)] });
    await works(bot, 20_000);
    expect(sent).toEqual([]);
    expect(bot.received).toContain("beat");
    await die(bot);
    expect(sent).toEqual([[id(1), id(3)]]);
    expect(end()).toMatchObject({ type: "canceled", result: { held: 2 } });
    expect(states.map(({ state }) => state)).toEqual(["waiting", "guarding", "canceling"]);
  });

  it("sends what it holds when the bot is silent though its socket is open, and hangs up", async () => {
    const { clock, start, works, sent, end } = world();
    const bot = await start();
    bot.says(hello("one"), { event: "standby", cancels: [cancelOf(id(1), clock.nowMs())] });
    await works(bot, 3_000);
    await clock.runFor(3_000);
    expect(sent).toEqual([]);
    await clock.runFor(3_000);
    expect(sent).toEqual([[id(1)]]);
    expect(end()).toMatchObject({ type: "canceled" });
    await bot.closed;
  });

  it("notices a silent bot though it is itself always late", async () => {
    const { clock, start, works, sent } = world({ lagMs: 1_500 });
    const bot = await start();
    await clock.runFor(2_000);
    bot.says(hello("one"), { event: "standby", cancels: [cancelOf(id(1), clock.nowMs())] });
    await works(bot, 10_000);
    expect(sent).toEqual([]);
    await clock.runFor(50_000);
    expect(sent).toEqual([[id(1)]]);
  });

  it("connects again to a bot that lives, and counts the silence from its last message", async () => {
    const { clock, start, works, sent } = world();
    const first = await start();
    first.says(hello("one"), { event: "standby", cancels: [cancelOf(id(1), clock.nowMs())] });
    await works(first, 2_000);
    const second = start();
    first.end();
    const bot = await second;
    await clock.runFor(2_000);
    bot.says(hello("one"));
    await works(bot, 10_000);
    expect(sent).toEqual([]);
    await clock.runFor(7_000);
    expect(sent).toEqual([[id(1)]]);
  });

  it("holds the orders of a killed run until the next run has renewed or ended them", async () => {
    const { clock, start, works, die, sent } = world();
    const first = await start();
    const nowMs = clock.nowMs();
    first.says(hello("one"), {
      event: "standby",
      cancels: [cancelOf(id(1), nowMs), cancelOf(id(2), nowMs + 1)],
    });
    const next = start();
    first.end();
    const bot = await next;
    bot.says(hello("two"));
    await works(bot, 30_000);
    bot.says({ event: "standby", cancels: [cancelOf(id(2), nowMs + 30_000)] });
    await works(bot, 40_000);
    await die(bot);
    expect(sent).toEqual([[id(2)]]);
  });

  it("has orders looked for of which the bot has signed no cancel, in the bot's markets", async () => {
    const { clock, start, works, die, sent, uncovered, markets } = world();
    const bot = await start();
    bot.says(hello("one"), { event: "uncovered", orderIds: [id(1), id(2), id(3)] });
    bot.says({ event: "standby", cancels: [cancelOf(id(1), clock.nowMs())] });
    bot.says({ event: "ended", orderIds: [id(2)] });
    bot.says({ event: "uncovered", orderIds: [id(1)] });
    await works(bot, 2_000);
    await die(bot);
    expect(sent).toEqual([[id(1)]]);
    expect(uncovered).toEqual([[id(3)]]);
    expect(markets).toEqual([marketIds]);
  });

  it("after a goodbye waits for the next run, or ends with --once", async () => {
    const { start, die, states, sent, end } = world();
    const first = await start();
    first.says(
      hello("one"),
      { event: "standby", cancels: [cancelOf(id(1), 1)] },
      { event: "goodbye" },
    );
    await die(first);
    const second = await start();
    second.says(hello("two"));
    expect(states.map(({ state }) => state)).toEqual([
      "waiting",
      "guarding",
      "goodbye",
      "waiting",
      "guarding",
    ]);
    expect(end()).toBeUndefined();

    const once = world({ isOnce: true });
    const bot = await once.start();
    bot.says(hello("one"), { event: "goodbye" });
    await once.die(bot);
    expect(once.end()).toEqual({ type: "goodbye" });
    expect([...sent, ...once.sent]).toEqual([]);
  });

  it.each([
    ["of another account", { owner: `0x${"bb".repeat(20)}` }, "names 0x"],
    ["at another venue", { rest: "https://other.example.com" }, "at https://other.example.com"],
  ])("refuses a bot %s, and says which", async (_, other, said) => {
    const { start, clock, end } = world();
    const bot = await start();
    bot.says({ ...hello("one"), ...other });
    await clock.runFor(1_000);
    expect(end()).toMatchObject({
      code: "GUARD_OTHER_ACCOUNT",
      message: expect.stringContaining(said),
    });
  });

  it.each([
    ["this bot sends nothing", { ok: false, message: "this bot sends nothing", ordersLeft: [] }],
    ["its answer cannot be read", { event: "hello", owner }],
  ])("ends when the bot answers with no greeting, and shows: %s", async (reason, answer) => {
    const { start, clock, end } = world();
    const bot = await start();
    bot.saysText(JSON.stringify(answer));
    await clock.runFor(1_000);
    expect(end()).toMatchObject({
      code: "GUARD_REFUSED",
      message: `The bot accepts no guard: ${reason}.`,
    });
  });

  it("sends what it holds when a bot of another account has taken the place of a killed one", async () => {
    const { clock, start, sent, end } = world({ unheld: [id(7)] });
    const first = await start();
    first.says(hello("one"), { event: "standby", cancels: [cancelOf(id(1), clock.nowMs())] });
    const next = start();
    first.end();
    const bot = await next;
    bot.says({ event: "hello", owner: `0x${"bb".repeat(20)}`, rest, run: "two", marketIds });
    await clock.runFor(500);
    // It answers, but it will not adopt what the killed one left.
    bot.saysText("{}");
    await clock.runFor(3_000);
    expect(sent).toEqual([[id(1)]]);
    expect(end()).toMatchObject({ type: "canceled", result: { unheld: [id(7)] } });
  });

  it("leaves new orders to a bot that works again, and names them when the bot answers but is still starting", async () => {
    const statuses = [
      { status: { strategies: [{}] }, unheld: [] },
      { status: { strategies: [] }, unheld: [id(7)] },
    ];
    for (const { status, unheld } of statuses) {
      const { clock, start, works, end } = world({ unheld: [id(7)] });
      const bot = await start();
      bot.says(hello("one"), { event: "standby", cancels: [cancelOf(id(1), clock.nowMs())] });
      await works(bot, 2_000);
      // It hangs.
      for (let look = 0; !bot.received.at(-1)?.includes("status") && look < 100; look += 1)
        await clock.runFor(100);
      bot.saysText(JSON.stringify({ ok: true, status }));
      await clock.runFor(3_000);
      expect(end()).toMatchObject({ type: "canceled", result: { unheld } });
    }
  });

  it("cancels first when it is asked to stop just after the bot was killed", async () => {
    const { clock, start, stop, sent, end, lose } = world();
    const bot = await start();
    bot.says(hello("one"), { event: "standby", cancels: [cancelOf(id(1), clock.nowMs())] });
    lose(bot);
    await clock.runFor(20);
    stop.abort();
    await clock.runFor(1_000);
    expect(sent).toEqual([[id(1)]]);
    expect(end()).toMatchObject({ type: "canceled" });
  });

  it("that is asked to stop says how many orders it was guarding", async () => {
    const { clock, start, stop, end } = world();
    const bot = await start();
    bot.says(hello("one"), { event: "standby", cancels: [cancelOf(id(1), clock.nowMs())] });
    stop.abort();
    await clock.runFor(1_000);
    expect(end()).toEqual({ type: "stopped", orders: 1 });
  });

  it("ends with the reason when another user's socket is in the bot's place, and does not wait as if it guarded", async () => {
    const refusal = new TouchlineError("FILE_REFUSED", "another user made /run/bot.sock.");
    const { clock, end, states } = world({ refusal });
    await clock.runFor(1_000);
    expect(end()).toBe(refusal);
    expect(states).toEqual([]);
  });

  it("cancels when another user's socket takes the place of the bot that it guarded", async () => {
    const options: { refusal?: Error } = {};
    const { clock, start, sent, die } = world(options);
    const bot = await start();
    bot.says(hello("one"), { event: "standby", cancels: [cancelOf(id(1), clock.nowMs())] });
    options.refusal = new TouchlineError("FILE_REFUSED", "another user made /run/bot.sock.");
    await die(bot);
    expect(sent).toEqual([[id(1)]]);
  });
});
