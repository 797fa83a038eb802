import { describe, expect, it } from "vitest";
import type { ControlledBot, RunningBot, Tuner } from "../../src/control/controlled-bot.ts";
import { respondTo } from "../../src/control/respond.ts";
import type { CommandOrigin } from "../../src/domain/command-origin.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { settleOn } from "../support/settle.ts";

const operator: CommandOrigin = { who: "ops", from: "127.0.0.1" };
const resumed = { lifted: ["the pause of maker"], remaining: ["warn: a loss"], stopped: [] };

/** A bot with these open orders; `cancelMs` after a pause or halt they have ended. */
function controlled(
  options: {
    readonly cancelMs?: number;
    readonly haltProblem?: string;
    readonly resumeProblem?: string;
    readonly isStarting?: boolean;
    readonly isEnding?: boolean;
  } = {},
) {
  const timer = new VirtualClock();
  const calls: string[] = [];
  const origins: CommandOrigin[] = [];
  let quotes = ["0x1", "0x2"];
  let stops = ["0x3"];
  let foreign = [{ orderId: "0x7", takers: ["maker"] }];
  const after = (run: () => void): void => {
    timer.after(options.cancelMs ?? 500, run);
  };
  const running: RunningBot = {
    isEnding: options.isEnding === true,
    pause(strategy, by) {
      origins.push(by);
      calls.push(`pause ${strategy ?? "all"}`);
      after(() => (quotes = []));
    },
    reduceOnly(strategy, by) {
      origins.push(by);
      calls.push(`reduce-only ${strategy ?? "all"}`);
    },
    flatten: () => undefined,
    cancel(orderIds, strategy) {
      calls.push(`cancel ${orderIds?.join(" ") ?? "all"} of ${strategy ?? "all"}`);
      after(
        () =>
          (quotes = orderIds === undefined ? [] : quotes.filter((id) => !orderIds.includes(id))),
      );
      if (orderIds === undefined) after(() => (stops = []));
      else after(() => (foreign = foreign.filter(({ orderId }) => !orderIds.includes(orderId))));
    },
    takeOver: (strategy, orderId) => calls.push(`${strategy} takes ${orderId} over`) > 0,
    get foreignOrders() {
      return foreign;
    },
    flattened: () => [],
    book: () => undefined,
    resume(strategy, force) {
      calls.push(`resume ${strategy ?? "all"}${force === true ? " by force" : ""}`);
      return { problem: options.resumeProblem, ...resumed };
    },
    openOrders: (which) => (which === "quotes" ? quotes : [...quotes, ...stops]),
  };
  const tuner: Tuner = {
    async tune(strategy, settings) {
      calls.push(`tune ${strategy} ${settings.join(" ")}`);
      return { changed: [strategy], warnings: [] };
    },
    reload: () => Promise.reject(new Error("line 3 is wrong")),
  };
  const bot: ControlledBot = {
    running: options.isStarting === true ? undefined : { bot: running, tuner },
    strategies: ["maker", "taker"],
    journal: "/journals/mine",
    async halt(reason, strategy) {
      calls.push(`halt ${strategy ?? "all"}: ${reason}`);
      after(() => {
        quotes = [];
        stops = [];
      });
      return options.haltProblem;
    },
    stop: async () => ({
      ok: false,
      reason: "own orders could not be settled",
      inQuestion: ["0x9"],
      kept: [],
    }),
    addGuard: undefined,
    login: () => Promise.reject(new Error("no page")),
    status: () => ({ pid: 1 }),
  };
  const ask = async (request: unknown): Promise<unknown> => {
    const line = typeof request === "string" ? request : JSON.stringify(request);
    const response = await settleOn(timer)(respondTo(line, { bot, timer, by: operator }));
    return typeof response === "string" ? JSON.parse(response) : "the connection of a guard";
  };
  return { ask, calls, origins, timer };
}

describe("a request to a running bot", () => {
  it("to resume by force says so", async () => {
    const { ask, calls } = controlled();
    expect(await ask({ command: "resume", force: true })).toEqual({ ok: true, resumed });
    expect(await ask({ command: "resume", strategy: "maker" })).toEqual({ ok: true, resumed });
    expect(calls).toEqual(["resume all by force", "resume maker"]);
  });

  it("to resume is answered with what was ended and what was not, also when it may not quote", async () => {
    const { ask } = controlled({ resumeProblem: "the whole bot is paused" });
    expect(await ask({ command: "resume", strategy: "maker" })).toEqual({
      ok: false,
      message: "the whole bot is paused",
      ordersLeft: [],
      resumed,
    });
  });

  it("while it is still starting can be a halt, but neither a pause nor a resume", async () => {
    const { ask, calls } = controlled({ isStarting: true });
    const refused = { ok: false, message: expect.stringContaining("still starting") };
    expect(await ask({ command: "pause" })).toMatchObject(refused);
    expect(await ask({ command: "resume" })).toMatchObject(refused);
    expect(await ask({ command: "halt", reason: "news" })).toEqual({ ok: true });
    expect(calls).toEqual(["halt all: news"]);
  });

  it("to guard a bot that sends nothing is refused with the reason", async () => {
    const { ask } = controlled();
    expect(await ask({ command: "guard", journal: "/journals/mine" })).toMatchObject({
      ok: false,
      message: "this bot sends nothing, so it needs no guard",
    });
  });

  it("to pause fails while nothing reaches the journal any more, and a resume does nothing", async () => {
    const { ask, calls } = controlled({ isEnding: true });
    expect(await ask({ command: "pause" })).toMatchObject({
      ok: false,
      message: expect.stringContaining("its next start may not know of this"),
    });
    expect(await ask({ command: "resume" })).toMatchObject({ ok: false });
    expect(await ask({ command: "halt", reason: "news" })).toEqual({ ok: true });
    expect(calls).toEqual(["pause all", "halt all: news"]);
  });

  it("to pause is answered once the quotes have ended, though stop orders are open", async () => {
    const { ask, calls, timer } = controlled();
    expect(await ask({ command: "pause" })).toEqual({ ok: true });
    expect(calls).toEqual(["pause all"]);
    expect(timer.elapsedMs).toBeGreaterThanOrEqual(500);
  });

  it("reaches the bot with who gave it and from where", async () => {
    const { ask, origins } = controlled();
    await ask({ command: "pause" });
    expect(origins).toEqual([operator]);
  });

  it("to cancel orders is answered once these have ended, and refused for an order that is not open", async () => {
    const { ask, calls } = controlled();
    expect(await ask({ command: "cancel", orderIds: ["0x2"] })).toEqual({ ok: true });
    expect(await ask({ command: "cancel", orderIds: ["0x1", "0x2"] })).toMatchObject({
      ok: false,
      message: "there is no open order 0x2; nothing was canceled",
    });
    expect(await ask({ command: "cancel", strategy: "maker" })).toEqual({ ok: true });
    expect(calls).toEqual(["cancel 0x2 of all", "cancel all of maker"]);
  });

  it("to cancel a foreign order names it, and no strategy", async () => {
    const { ask, calls } = controlled();
    const orderIds = ["0x7"];
    expect(await ask({ command: "cancel", orderIds, strategy: "maker" })).toMatchObject({
      ok: false,
      message: "there is no open order 0x7; nothing was canceled",
    });
    expect(await ask({ command: "cancel" })).toEqual({ ok: true });
    expect(await ask({ command: "cancel", orderIds })).toEqual({ ok: true });
    expect(calls).toEqual(["cancel all of all", "cancel 0x7 of all"]);
  });

  it("to take a foreign order over is refused for an unknown order and for a strategy of another market", async () => {
    const { ask, calls } = controlled();
    const request = { command: "take-over", strategy: "maker", orderId: "0x7" };
    expect(await ask({ ...request, orderId: "0x1" })).toMatchObject({
      message: "the account has no open foreign order 0x1; nothing was taken over",
    });
    expect(await ask({ ...request, strategy: "taker" })).toMatchObject({
      message: expect.stringContaining("taker does not trade in the market of order 0x7"),
    });
    expect(await ask(request)).toEqual({ ok: true });
    expect(calls).toEqual(["maker takes 0x7 over"]);
  });

  it.each([
    [{ quantity: "0" }, "a trade has a price and a quantity above 0"],
    [{ price: "0" }, "a trade has a price and a quantity above 0"],
    [{ quantity: "0.5", fee: "5" }, "the fee is not below what the trade brought"],
    [{ side: "SELL", price: "2", fee: "2" }, "the fee is not below what the trade brought"],
    [{ timeMs: 1_700_000_000 }, "the time is before 2015: it is in Unix milliseconds"],
    [{ timeMs: 1_700_000_000_000_000 }, "the time is in the future"],
  ])("to book is refused for what cannot be a trade: %o", async (wrong, problem) => {
    const { ask, calls } = controlled();
    const right = { marketId: "1_2", side: "BUY", price: "2000", quantity: "1", fee: "0.1" };
    const trade = { ...right, timeMs: 1_700_000_000_000, tradeId: "" };
    const request = { command: "book", strategy: "maker" };
    expect(await ask({ ...request, trade: { ...trade, ...wrong } })).toMatchObject({
      ok: false,
      message: `${problem}; nothing was booked`,
    });
    expect(calls).toEqual([]);
    expect(await ask({ ...request, trade })).toEqual({ ok: true });
  });

  it("to halt one strategy reaches that strategy, but not a bot that is still starting or is ending", async () => {
    const request = { command: "halt", strategy: "maker", reason: "news" };
    const { ask, calls } = controlled();
    expect(await ask(request)).toEqual({ ok: true });
    expect(calls).toEqual(["halt maker: news"]);
    expect(await controlled({ isStarting: true }).ask(request)).toMatchObject({ ok: false });
    expect(await controlled({ isEnding: true }).ask(request)).toMatchObject({ ok: false });
  });

  it("to halt waits for every order, and names those that are left after ten seconds", async () => {
    const { ask } = controlled({ cancelMs: 60_000 });
    expect(await ask({ command: "halt", reason: "x" })).toEqual({
      ok: false,
      message: expect.stringContaining("the orders are not all known to have ended within 10 s"),
      ordersLeft: ["0x1", "0x2", "0x3"],
    });
  });

  it("to halt fails with the reason when a restart would end the halt", async () => {
    const { ask } = controlled({ haltProblem: "the disk is full" });
    expect(await ask({ command: "halt", reason: "x" })).toMatchObject({
      ok: false,
      message: "the disk is full",
    });
  });

  it("to stop is answered with how the run ended", async () => {
    const { ask } = controlled();
    expect(await ask({ command: "stop" })).toEqual({
      ok: false,
      message: "own orders could not be settled",
      ordersLeft: ["0x9"],
    });
  });

  it("about a strategy that the bot does not have changes nothing", async () => {
    const { ask, calls } = controlled();
    expect(await ask({ command: "pause", strategy: "mkaer" })).toMatchObject({
      ok: false,
      message: "this bot has no strategy mkaer, only maker, taker",
    });
    expect(await ask({ command: "resume", strategy: "taker" })).toEqual({ ok: true, resumed });
    expect(calls).toEqual(["resume taker"]);
  });

  it("that means another bot, by its journal, changes nothing", async () => {
    const { ask, calls } = controlled();
    const halt = { command: "halt", reason: "x" };
    expect(await ask({ ...halt, journal: "/journals/other" })).toMatchObject({
      ok: false,
      message: expect.stringContaining("another bot listens at this socket"),
    });
    expect(calls).toEqual([]);
    expect(await ask({ ...halt, journal: "/journals/mine" })).toEqual({ ok: true });
  });

  it("for the status returns it", async () => {
    expect(await controlled().ask({ command: "status" })).toEqual({ ok: true, status: { pid: 1 } });
  });

  it.each([
    "",
    "{",
    "[]",
    "null",
    '{"command":"sell everything"}',
    '{"command":"stop","x":1}',
    '{"command":"halt","reason":""}',
    `{"command":"halt","reason":"${"x".repeat(201)}"}`,
  ])("that is no request is refused: %j", async (line) => {
    const { ask, calls } = controlled();
    expect(await ask(line)).toMatchObject({ ok: false });
    expect(calls).toEqual([]);
  });
});
