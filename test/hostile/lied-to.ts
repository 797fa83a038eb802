import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { defaultStreamTiming } from "../../src/gateway/stream-timing.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import { depth } from "../../src/spec/endpoints/depth.ts";
import type { Log } from "../../src/ports/log.ts";
import { defaultRisk } from "../../src/risk/settings.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import { nodePorts } from "../../src/runtime/node-ports.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { busyMs, LoopHolds } from "../../bench/loop-holds.ts";
import { startRealVenue } from "../support/real-venue.ts";
import { isSoak } from "../support/soak.ts";
import { testCrypto } from "../support/venue.ts";
import type { Expected, Lie } from "./lies.ts";
import { verifyNewestRun } from "../support/verify-newest-run.ts";
import { LyingProxy } from "./lying-proxy.ts";

/** How long a bot quotes under a lie before it is stopped. */
const LIE_MS = isSoak ? 5_000 : 2_500;
/** A lie lasts until the log has the expected codes, at most this long: a drift waits for lists. */
const CODES_MS = 15_000;
/** A bot has quotes by then, also on a busy machine. */
const QUOTES_MS = 60_000;
/** The venue's price is near 100, and the bot holds a few tokens at most: no honest result is beyond. */
const PNL_MAX = 100;

export interface Outcome {
  readonly name: string;
  readonly told: number;
  /** How often the log had each code. */
  readonly codes: ReadonlyMap<string, number>;
  /** Most orders that were open at the venue at once during the lie, and how many at its end, before the stop. */
  readonly mostOpen: number;
  readonly openBefore: number;
  readonly isOk: boolean;
  readonly reason: string;
  readonly openAfter: number;
  /** Open at the venue after the end, and not named by it. */
  readonly unnamed: number;
  readonly named: number;
  readonly pnl: number;
  /** The most memory that the process with bot, venue and proxy had above that before its first lie, MiB. */
  readonly grownMiB: number;
  readonly stallMs: number;
  /** The most processor time of the thread in one stall: other programs on the machine do not lengthen it. */
  readonly busyMs: number;
  /** Whether the journal re-runs to the same decisions. */
  readonly isIdentical: boolean;
}

const params = {
  bidSpread: "0.01%",
  askSpread: "0.01%",
  size: "0.5",
  levels: 2,
  levelSpread: "0.05%",
  refresh: "500ms",
  tolerance: "0.02%",
};

/** A bot of its own at a venue of its own, lied to over real sockets from its first quotes on, or from its start. */
export async function lieTo(lie: Lie, keyByte: number): Promise<Outcome> {
  const venue = await startRealVenue({
    faucet: { "1": "1000", "2": "250000" },
    flow: { synthetic: { takerEveryMs: 60, takerNotional: 300, volatility: 0.0004 } },
  });
  const proxy = await LyingProxy.start(venue, lie.tells);
  const codes = new Map<string, number>();
  const crypto = await testCrypto();
  const signer = crypto.signer(new Uint8Array(32).fill(keyByte));
  const ports = nodePorts({ crypto, signer, log: countCodes(codes) });
  const { segments: _, ...rest } = ports;
  try {
    const store = new MemoryStore();
    proxy.isLying = lie.isFromStart === true;
    const bot = await startLive(settingsAt(proxy), { ...rest, store });
    const load = watchLoad();
    if (lie.isFromStart !== true || lie.expected.quotes === "on")
      await until(() => openOf(venue, bot) > 0, QUOTES_MS);
    proxy.isLying = true;
    let mostOpen = 0;
    const isExpected = (): boolean =>
      wantedCodes(lie.expected).every((either) => either.some((code) => codes.has(code)));
    for (let at = 0; at < LIE_MS / 100 || (at < CODES_MS / 100 && !isExpected()); at += 1) {
      await pause(100);
      mostOpen = Math.max(mostOpen, openOf(venue, bot));
    }
    const openBefore = openOf(venue, bot);
    bot.stop();
    const end = await bot.done;
    const open = openIds(venue, bot);
    const { inventory } = end.summary;
    const measured = load();
    return {
      ...measured,
      isIdentical: (await verifyNewestRun({ store, crypto })).identical,
      name: lie.name,
      told: proxy.told,
      codes,
      mostOpen,
      openBefore,
      isOk: end.ok,
      reason: end.reason,
      openAfter: open.length,
      unnamed: open.filter((id) => !end.inQuestion.some((named) => named === id)).length,
      named: end.inQuestion.length,
      pnl: Number(inventory["2"] ?? 0) + Number(inventory["1"] ?? 0) * (await midOf(venue)),
    };
  } finally {
    await ports.http.close();
    await proxy.close();
    await venue.close();
  }
}

/** What the outcome of a lie lacks; empty when the bot did what it must. */
export function faultsOf(outcome: Outcome, expected: Expected): string[] {
  const { quotes, end } = expected;
  const faults: string[] = [];
  if (outcome.told === 0) faults.push("the lie was never told");
  for (const wanted of wantedCodes(expected)) {
    if (!wanted.some((code) => outcome.codes.has(code))) faults.push(`no ${wanted.join(" or ")}`);
  }
  if (quotes === "on" && outcome.mostOpen === 0) faults.push("no quotes");
  if (quotes === "off" && outcome.openBefore > 0) faults.push(`${outcome.openBefore} quotes`);
  if (outcome.unnamed > 0)
    faults.push(`${outcome.unnamed} open orders that the exit does not name`);
  if (outcome.openAfter > 0 && outcome.isOk) faults.push("exit 0 with open orders");
  if (end === "clean" && outcome.openAfter > 0) faults.push(`${outcome.openAfter} orders left`);
  if (Math.abs(outcome.pnl) > PNL_MAX) faults.push(`PnL ${outcome.pnl}`);
  if (!outcome.isIdentical) faults.push("its journal re-runs to something else");
  if (outcome.mostOpen > 50) faults.push(`${outcome.mostOpen} orders at once`);
  return faults;
}

function wantedCodes({ codes = [] }: Expected): readonly (readonly string[])[] {
  return codes.map((item) => (typeof item === "string" ? [item] : item));
}

/** One line for people. */
export function lineOf(outcome: Outcome, faults: readonly string[]): string {
  const codes = [...outcome.codes].map(([code, count]) => `${code}×${count}`).join(" ");
  const end = outcome.isOk ? "exit 0" : `exit 1, ${outcome.named} named`;
  const verdict = faults.length === 0 ? "ok  " : "FAIL";
  return `${verdict} ${outcome.name}: told ${outcome.told}, ${outcome.openBefore} open before the stop, ${outcome.openAfter} after, ${end}, PnL ${outcome.pnl.toFixed(2)}; ${codes}${faults.length === 0 ? "" : `; ${faults.join("; ")}`}`;
}

/** A row of the table that `npm run test:soak -- hostile` prints. */
export function rowOf(outcome: Outcome): string {
  const codes = [...outcome.codes.keys()].map((code) => `\`${code}\``);
  const quotes = outcome.openBefore > 0 ? "quotes at the end" : "no quotes at the end";
  const does = [codes.join(" ") || "no code", quotes].join("; ");
  const left = outcome.openAfter === 0 ? "0" : `${outcome.openAfter}, ${outcome.named} named`;
  return `| ${outcome.name} | ${does} | ${left} | ${outcome.grownMiB} | ${outcome.stallMs} | ${outcome.busyMs} |`;
}

/** One for all lies of a process, since it never stops. */
let holds: LoopHolds | undefined;
/** Memory of the process before its first lie, bytes. */
let memoryBefore: number | undefined;

/** Measures the process until the returned function is called. */
function watchLoad(): () => Pick<Outcome, "grownMiB" | "stallMs" | "busyMs"> {
  const watched = (holds ??= new LoopHolds());
  watched.take();
  const before = (memoryBefore ??= process.memoryUsage.rss());
  let most = before;
  const sample = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  return () => {
    clearInterval(sample);
    const { longest, busiest } = watched.take();
    return {
      grownMiB: Math.round((most - before) / 2 ** 20),
      stallMs: Math.round(longest.wallMs),
      busyMs: Math.round(busyMs(busiest)),
    };
  };
}

function settingsAt({ rest, ws }: LyingProxy): Parameters<typeof startLive>[0] {
  return {
    venue: { rest, ws, chainId: 1001 },
    owner: undefined,
    rateLimit: { perSecond: 50, burst: 100, concurrency: 8 },
    risk: defaultRisk,
    // Faster than by default, so that a lie of a few seconds meets every read.
    timing: {
      ...defaultTiming,
      reconcileMs: 1_000,
      balancesMs: 1_000,
      venueTimeMs: 1_000,
      inFlightMs: 1_000,
      observeMs: 200,
      marketsMs: 1_000,
      driftMs: 1_000,
    },
    execution: { useModify: false },
    streams: defaultStreamTiming,
    journal: { path: "journal", durability: "process", keep: {} },
    strategies: [
      {
        name: "maker",
        plugin: "pure-market-making",
        definition: pureMarketMaking,
        params: pureMarketMaking.params.parse(params),
        writtenParams: params,
        marketId: "1_2" as MarketId,
        seed: 3,
      },
    ],
    configText: "",
    codeVersion: "test",
  };
}

function countCodes(codes: Map<string, number>): Log {
  const count = (fields: Readonly<Record<string, unknown>>): void => {
    const code = fields["code"];
    if (typeof code === "string") codes.set(code, (codes.get(code) ?? 0) + 1);
  };
  return { debug() {}, info() {}, warn: count, error: count };
}

const depthAnswer = z.object({ result: depth.result });

/** The true mid, which the bot may not have seen. */
async function midOf({ rest }: RunningVenue): Promise<number> {
  const answer = await fetch(`${rest}/api/v1/market/depth?marketId=1_2`);
  const { bids, asks } = depthAnswer.parse(await answer.json()).result;
  return (Number(bids[0]?.price) + Number(asks[0]?.price)) / 2;
}

function openIds(venue: RunningVenue, bot: Bot): readonly string[] {
  const all = { fromMs: 0, toMs: 9e15, limit: 1000, marketId: undefined };
  return venue.exchange.openOrders(bot.owner, all).map(({ orderId }) => orderId);
}

function openOf(venue: RunningVenue, bot: Bot): number {
  return openIds(venue, bot).length;
}

async function until(isTrue: () => boolean, limitMs: number): Promise<void> {
  for (let waited = 0; waited < limitMs; waited += 50) {
    if (isTrue()) return;
    await pause(50);
  }
  throw new Error(`not within ${limitMs} ms`);
}
