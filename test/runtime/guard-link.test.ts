import { describe, expect, it } from "vitest";
import { addressOf, type OrderId } from "../../src/domain/ids.ts";
import type { StandbyCancel } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { LineConnection } from "../../src/ports/line-connection.ts";
import { MAX_LINE } from "../../src/platform/local-socket.ts";
import { unixMs } from "../../src/domain/time.ts";
import { OrderGuard } from "../../src/guard/order-guard.ts";
import { GuardLink } from "../../src/runtime/guard-link.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { silentLog } from "../support/venue.ts";

const id = (at: number) => `0x${at.toString(16).padStart(64, "0")}` as OrderId;

function standby(at: number): StandbyCancel {
  return {
    type: "standby",
    nonce: at,
    strategy: "maker",
    intent: at,
    orderId: id(at),
    orderNonce: 1,
    isAcknowledged: true,
  };
}

class FakeGuard implements LineConnection {
  #listener: (line: string) => void = () => undefined;
  #close: () => void = () => undefined;
  isClosed = false;
  readonly lines: Record<string, unknown>[] = [];
  readonly closed = new Promise<void>((resolve) => {
    this.#close = resolve;
  });

  send(line: string): void {
    this.lines.push(JSON.parse(line));
  }

  onLine(listener: (line: string) => void): void {
    this.#listener = listener;
  }

  end(): void {
    this.isClosed = true;
    this.#close();
  }

  beats(): void {
    this.#listener("beat");
  }

  /** Ids of the orders whose cancels it has received. */
  get held(): unknown[] {
    return this.lines.flatMap(({ cancels = [] }) =>
      (cancels as { orderId: string }[]).map(({ orderId }) => orderId),
    );
  }
}

/** Two ends of a connection. */
function connected(): readonly [LineConnection, LineConnection] {
  const ends: { listener?: (line: string) => void }[] = [{}, {}];
  let close: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const at = (own: number): LineConnection => ({
    send: (line) => ends[1 - own]?.listener?.(line),
    onLine(listener) {
      const end = ends[own];
      if (end !== undefined) end.listener = listener;
    },
    end: close,
    closed,
  });
  return [at(0), at(1)];
}

function world({ behindMs = 0, offsetMs = 7 } = {}) {
  const clock = new VirtualClock();
  const inputs: Input[] = [];
  let signed = 0;
  const bot = { isWorking: true, live: [] as { orderId: OrderId | undefined }[] };
  const owner = addressOf(`0x${"aa".repeat(20)}`);
  if (owner === undefined) throw new Error("an address");
  const link = new GuardLink({
    owner,
    rest: "http://127.0.0.1:1",
    run: "one",
    marketIds: ["1_2"],
    clock: {
      nowMs: () => unixMs(clock.nowMs() - behindMs),
      monotonicUs: () => clock.monotonicUs(),
    },
    timer: clock,
    log: silentLog,
    push: (input) => void inputs.push(input),
    sign({ orderId }) {
      signed += 1;
      return { bytesHex: "0x1", txHash: orderId };
    },
    liveOrders: () => bot.live,
    isWorking: () => bot.isWorking,
    venueOffsetMs: () => offsetMs,
  });
  return { clock, owner, inputs, link, bot, signed: () => signed };
}

describe("a bot's link to its guards", () => {
  it("signs nothing in the step itself, and nothing without a guard", async () => {
    const { clock, link, signed } = world();
    link.made(standby(1), id(1), false);
    await clock.runFor(1_000);
    expect(signed()).toBe(0);
    const guard = new FakeGuard();
    link.add(guard);
    for (let at = 1; at <= 9; at += 1) link.made(standby(at), id(at), false);
    expect(signed()).toBe(0);
    await clock.runFor(10);
    expect(guard.lines[0]).toMatchObject({ event: "hello", run: "one" });
    expect(guard.held).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map(id));
    const batches = guard.lines.filter(({ event }) => event === "standby");
    expect(batches.every(({ cancels }) => (cancels as unknown[]).length <= 4)).toBe(true);
  });

  it("signs and hands over at once the cancel of an order that has just been sent", () => {
    const { link, signed } = world();
    const guard = new FakeGuard();
    link.add(guard);
    link.made({ ...standby(1), orderId: undefined }, id(1), true);
    expect(signed()).toBe(1);
    expect(guard.held).toEqual([id(1)]);
  });

  it("gives a second guard what the first has, without orders that have ended", async () => {
    const { clock, link, inputs } = world();
    const first = new FakeGuard();
    link.add(first);
    link.made(standby(1), id(1), false);
    link.made(standby(2), id(2), false);
    await clock.runFor(10);
    link.ended([id(1)]);
    const second = new FakeGuard();
    link.add(second);
    expect(second.held).toEqual([id(2)]);
    first.end();
    await clock.runFor(10);
    expect(inputs).toEqual([{ type: "guard", isConnected: true }]);
    second.end();
    await clock.runFor(10);
    expect(inputs.at(-1)).toEqual({ type: "guard", isConnected: false });
  });

  it("hands over many cancels in lines that a guard reads", async () => {
    const { clock, link } = world();
    link.add(new FakeGuard());
    for (let at = 1; at <= 3_000; at += 1) link.made(standby(at), id(at), false);
    await clock.runFor(100);
    const second = new FakeGuard();
    link.add(second);
    expect(second.held).toHaveLength(3_000);
    const longest = Math.max(...second.lines.map((line) => JSON.stringify(line).length));
    // A real cancel has some hundred bytes more than one of this test.
    expect(longest).toBeLessThan(MAX_LINE / 10);
  });

  it("names the orders of which it has signed no cancel, to each guard that connects and with every sign of life", async () => {
    const { clock, link, bot } = world();
    const uncovered = ({ lines }: FakeGuard) =>
      lines.filter(({ event }) => event === "uncovered").map(({ orderIds }) => orderIds);
    const first = new FakeGuard();
    link.add(first);
    // The first step comes after the guard.
    bot.live = [{ orderId: id(1) }, { orderId: id(2) }, { orderId: undefined }];
    await clock.runFor(10);
    expect(uncovered(first)).toEqual([[id(1), id(2)]]);
    link.made(standby(1), id(1), false);
    await clock.runFor(10);
    const second = new FakeGuard();
    link.add(second);
    await clock.runFor(10);
    expect(uncovered(second)).toEqual([[id(2)]]);
    first.lines.length = 0;
    await clock.runFor(1_000);
    expect(uncovered(first)).toEqual([[id(2)]]);
  });

  it("shows a sign of life once a second while the bot works", async () => {
    const { clock, link, bot } = world();
    const guard = new FakeGuard();
    link.add(guard);
    const beats = () => guard.lines.filter(({ event }) => event === "beat").length;
    await clock.runFor(3_500);
    expect(beats()).toBe(4);
    expect(guard.lines.at(-1)).toEqual({ event: "beat", venueMs: clock.nowMs() - 500 + 7 });
    bot.isWorking = false;
    guard.beats();
    await clock.runFor(4_000);
    expect(beats()).toBe(4);
  });

  it("tells a guard the venue's clock by the guard's own one: that of a bot that ran while the machine slept is behind", async () => {
    const behindMs = 3_600_000;
    const { clock, owner, link } = world({ behindMs, offsetMs: behindMs + 7 });
    const [ofBot, ofGuard] = connected();
    const offsets: (number | undefined)[] = [];
    let isListening = true;
    const guard = new OrderGuard({
      journal: "/journal",
      owner,
      rest: "http://127.0.0.1:1",
      silentAfterMs: 5_000,
      windowMs: 60_000,
      isOnce: true,
      clock,
      timer: clock,
      connect: async () => (isListening ? ofGuard : Promise.reject(new Error("ECONNREFUSED"))),
      async cancel({ venueOffsetMs }) {
        offsets.push(venueOffsetMs);
        return { held: 0, left: [], unheld: [], isListed: true };
      },
      report: () => undefined,
    });
    void guard.run(new AbortController().signal);
    await clock.runFor(10);
    link.add(ofBot);
    await clock.runFor(3_000);
    isListening = false;
    ofBot.end();
    await clock.runFor(1_000);
    expect(offsets).toEqual([7]);
  });

  it("counts a guard as gone that shows no sign of life", async () => {
    const { clock, link, inputs } = world();
    const guard = new FakeGuard();
    link.add(guard);
    for (let second = 0; second < 10; second += 1) {
      guard.beats();
      await clock.runFor(1_000);
    }
    expect(inputs).toHaveLength(1);
    await clock.runFor(7_000);
    expect(guard.isClosed).toBe(true);
    expect(inputs.at(-1)).toEqual({ type: "guard", isConnected: false });
  });

  it("says goodbye only when no order is left", () => {
    for (const isNothingLeft of [true, false]) {
      const { link } = world();
      const guard = new FakeGuard();
      link.add(guard);
      link.close(isNothingLeft);
      expect(guard.lines.some(({ event }) => event === "goodbye")).toBe(isNothingLeft);
      expect(guard.isClosed).toBe(true);
    }
  });
});
