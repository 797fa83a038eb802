import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { fixed, fixedToNumber } from "../../src/domain/fixed.ts";
import { type Address, marketId } from "../../src/domain/ids.ts";
import type { Side } from "../../src/domain/side.ts";
import type { OrderRecord } from "../../src/exchange/records.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { VenueDocument } from "../../src/venue/config.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { botYaml } from "../support/bot-yaml.ts";
import { testAddress, testHash, WHOLE_HISTORY } from "../support/exchange.ts";
import { startRealVenue } from "../support/real-venue.ts";
import { Touchline } from "../support/touchline-process.ts";
import { testCrypto } from "../support/venue.ts";

/** Ordinary trouble of the network, over real sockets: what a user sees of a bot in a process of its own, as its venue sees it. `npm test` has the same as stored worlds of the simulation. */

const MARKET = marketId("1", "2");
const LEVELS = 2;
const SPREAD = 0.001;
const LEVEL_SPREAD = 0.002;
const TOLERANCE = 0.0002;
const REFRESH_MS = 500;
const LOOK_MS = 50;

const folder = mkdtempSync(path.join(tmpdir(), "touchline-trouble-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const strategy = `  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: ${SPREAD}, askSpread: ${SPREAD}, size: "0.5", levels: ${LEVELS}, levelSpread: ${LEVEL_SPREAD}, refresh: ${REFRESH_MS}ms, tolerance: ${TOLERANCE} }
`;

/** A bot that quotes two levels on each side of a moving market, and what its venue sees. */
class Watched {
  #elapsedMs = 0;
  readonly #venue: RunningVenue;
  readonly #bot: Touchline;
  readonly #owner: Address;
  /** Mids of the others' book in the last second, oldest first. */
  #mids: { readonly atMs: number; readonly mid: number }[] = [];
  #hashes = 0;

  private constructor(venue: RunningVenue, bot: Touchline, owner: Address) {
    this.#venue = venue;
    this.#bot = bot;
    this.#owner = owner;
  }

  static async start(name: string, document: VenueDocument): Promise<Watched> {
    const key = testHash(Array.from(name).reduce((sum, letter) => sum + letter.charCodeAt(0), 1));
    const venue = await startRealVenue({
      faucet: { "1": "1000", "2": "2500000" },
      accounts: { [testAddress(2)]: { "1": "100000", "2": "100000000" } },
      ...document,
    });
    const file = path.join(folder, `${name}.yaml`);
    const account = `account: { signer: { type: env, name: TOUCHLINE_KEY } }
execution: { useModify: false }`;
    writeFileSync(
      file,
      botYaml({ venue, account, strategy }).replace("./journal", `./${name}-journal`),
    );
    const bytes = Uint8Array.from(Buffer.from(key.slice(2), "hex"));
    const owner = (await testCrypto()).signer(bytes).address;
    return new Watched(venue, new Touchline(["run", file], { TOUCHLINE_KEY: key }), owner);
  }

  /** Time in which this process ran: on a busy machine, which holds up the bot as well, a look counts as twice its interval at most. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  open(side: Side): readonly OrderRecord[] {
    const open = this.#venue.exchange.openOrders(this.#owner, WHOLE_HISTORY);
    return open.filter((order) => order.side === side);
  }

  get isComplete(): boolean {
    return this.open("BUY").length >= LEVELS && this.open("SELL").length >= LEVELS;
  }

  /** Looks at the venue every 50 ms until the time since the start, or until `look` returns true. */
  async lookUntil(untilMs: number, look: (nowMs: number) => boolean | void): Promise<void> {
    while (this.elapsedMs < untilMs) {
      const mid = this.#mid();
      const nowMs = this.elapsedMs;
      if (mid !== undefined) this.#mids.push({ atMs: nowMs, mid });
      this.#mids = this.#mids.filter(({ atMs }) => nowMs - atMs <= REFRESH_MS + 500);
      if (look(nowMs) === true) return;
      const pausedMs = performance.now();
      await pause(LOOK_MS);
      this.#elapsedMs += Math.min(2 * LOOK_MS, performance.now() - pausedMs);
    }
  }

  /** Another account sells into the best bid, or buys the best ask, of the bot. */
  fill(side: Side): void {
    const [best] = this.open(side).toSorted((left, right) =>
      side === "BUY"
        ? fixedToNumber(right.price) - fixedToNumber(left.price)
        : fixedToNumber(left.price) - fixedToNumber(right.price),
    );
    if (best === undefined) throw new Error(`no ${side} to fill`);
    this.#hashes += 1;
    const command = {
      type: "place",
      marketId: MARKET,
      side: side === "BUY" ? "SELL" : "BUY",
      orderType: "LIMIT",
      orderMode: 0,
      price: best.price,
      quantity: fixed("100"),
    } as const;
    const txHash = testHash(1_000_000 + this.#hashes);
    this.#venue.exchange.execute(testAddress(2), command, systemClock.nowMs(), { txHash });
    const cancel = { type: "cancel", orderId: txHash } as const;
    const hash = testHash(2_000_000 + this.#hashes);
    this.#venue.exchange.execute(testAddress(2), cancel, systemClock.nowMs(), { txHash: hash });
  }

  /** Whether some mid of the last second leads to this price. */
  isOnTarget({ side, price }: OrderRecord): boolean {
    const out = side === "BUY" ? -1 : 1;
    const at = fixedToNumber(price);
    return this.#mids.some(({ mid }) =>
      Array.from({ length: LEVELS }, (_, level) => SPREAD + level * LEVEL_SPREAD).some(
        (distance) => Math.abs(at - mid * (1 + out * distance)) <= mid * TOLERANCE * 1.5,
      ),
    );
  }

  #mid(): number | undefined {
    const { bids, asks } = this.#venue.exchange.book(MARKET, 20);
    const best = (side: Side): number | undefined => {
      const own = this.open(side);
      return (side === "BUY" ? bids : asks).find(({ price, quantity }) => {
        const mine = own.filter((order) => fixedToNumber(order.price) === price);
        const sum = mine.reduce(
          (total, { origQty, executedQty }) =>
            total + fixedToNumber(origQty) - fixedToNumber(executedQty),
          0,
        );
        return fixedToNumber(quantity) > sum + 1e-9;
      })?.price;
    };
    const [bid, ask] = [best("BUY"), best("SELL")];
    return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
  }

  async stop(): Promise<void> {
    this.#bot.kill("SIGTERM");
    await this.#bot.exit;
    await this.#venue.close();
  }
}

const market = (seed: number, volatility = 0.0003): VenueDocument["flow"] => ({
  synthetic: {
    seed,
    prices: { [MARKET]: 2_000 },
    volatility,
    takerEveryMs: 3_000,
    takerNotional: 100,
  },
});

/** The first look at which the bot quotes everything. */
const quoting = (watched: Watched): Promise<void> =>
  watched.lookUntil(60_000, () => watched.isComplete);

it.concurrent("a cancel whose request is lost leaves one order over the wanted number for 2.5 s at most", async () => {
  const lost = Array.from({ length: 8 }, (_, at) => ({
    kind: "timeout-before" as const,
    match: "POST */order/cancel",
    at: `${12 + at * 4}s`,
    count: 1,
  }));
  const watched = await Watched.start("lost-cancels", { flow: market(1), faults: lost });
  await quoting(watched);
  const since: Partial<Record<Side, number>> = {};
  let longestMs = 0;
  await watched.lookUntil(Math.max(46_000, watched.elapsedMs + 20_000), (nowMs) => {
    for (const side of ["BUY", "SELL"] as const) {
      if (watched.open(side).length <= LEVELS) delete since[side];
      else longestMs = Math.max(longestMs, nowMs - (since[side] ??= nowMs));
    }
  });
  await watched.stop();
  expect(longestMs).toBeGreaterThan(0);
  expect(longestMs).toBeLessThanOrEqual(2_500);
});

it.concurrent("both sides stand again within 5 s of each fill while the user channel is silent", async () => {
  const silent = [{ kind: "drop" as const, match: "userEvent@*" }];
  const watched = await Watched.start("silent", { flow: market(2, 0), faults: silent });
  await quoting(watched);
  // Until the silence is old.
  await watched.lookUntil(watched.elapsedMs + 15_000, () => false);
  const backMs: number[] = [];
  for (const side of ["BUY", "SELL", "BUY", "SELL", "BUY"] as const) {
    await watched.lookUntil(watched.elapsedMs + 20_000, () => watched.isComplete);
    if (!watched.isComplete) {
      backMs.push(Number.POSITIVE_INFINITY);
      break;
    }
    watched.fill(side);
    const filledMs = watched.elapsedMs;
    await watched.lookUntil(filledMs + 15_000, () => watched.isComplete);
    backMs.push(watched.elapsedMs - filledMs);
    await watched.lookUntil(watched.elapsedMs + 2_000, () => false);
  }
  await watched.stop();
  expect(backMs.filter((ms) => ms > 5_000)).toEqual([]);
});

it.concurrent.each([4, 6])(
  "every order is on its target within 5 s of a storm, and both sides stand, seed %i",
  async (seed) => {
    const span = { at: "8s", for: "20s", seed } as const;
    const endMs = 28_000;
    const watched = await Watched.start(`storm-${seed}`, {
      flow: market(seed, 0.0006),
      faults: [
        { kind: "drop", ...span, rate: 0.05, match: "depth@*" },
        { kind: "duplicate", ...span, rate: 0.2, match: "depth@*" },
        { kind: "drop", ...span, rate: 0.4, match: "userEvent@*" },
        { kind: "close", ...span, rate: 0.005 },
        { kind: "5xx", ...span, rate: 0.2, match: "POST *" },
        { kind: "timeout-before", ...span, rate: 0.1, match: "POST *" },
        { kind: "timeout-after", ...span, rate: 0.1, match: "POST *", cut: "1s" },
        { kind: "timeout-after", ...span, rate: 0.1, match: "POST *" },
        { kind: "drop", ...span, rate: 0.1, match: "GET *" },
      ],
    });
    await quoting(watched);
    const offSince = new Map<string, number>();
    const tooLong = new Map<string, number>();
    let absentSinceMs: number | undefined;
    let absentMs = 0;
    await watched.lookUntil(endMs + 20_000, (nowMs) => {
      for (const order of [...watched.open("BUY"), ...watched.open("SELL")]) {
        const id = `${order.orderId} ${order.price}`;
        if (watched.isOnTarget(order)) offSince.delete(id);
        else {
          const offMs = nowMs - (offSince.get(id) ?? nowMs);
          offSince.set(id, nowMs - offMs);
          if (nowMs > endMs + 5_000 && offMs > 5_000) tooLong.set(id, Math.round(offMs));
        }
      }
      const stand = watched.open("BUY").length > 0 && watched.open("SELL").length > 0;
      if (stand || nowMs < endMs) absentSinceMs = undefined;
      else absentMs = Math.max(absentMs, nowMs - (absentSinceMs ??= nowMs));
    });
    await watched.stop();
    expect([...tooLong]).toEqual([]);
    expect(absentMs).toBeLessThanOrEqual(5_000);
  },
);
