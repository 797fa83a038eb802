import { fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Summary } from "../../src/metrics/summary.ts";
import { SummaryFold } from "../../src/metrics/summary-fold.ts";
import type { BotEnd } from "../../src/runtime/bot.ts";
import type { WantedQuotes } from "../../src/sim/decision-log.ts";
import type { FaultEpisode } from "../../src/sim/fault-plan.ts";
import type { InvariantHooks, ReadSources, ShownAmounts } from "../../src/sim/invariant.ts";
import { invariants } from "../../src/sim/invariants.ts";
import { Oracle } from "../../src/sim/oracle.ts";
import type { SeenTransaction } from "../../src/sim/seen-transaction.ts";
import type { ReadBook } from "../../src/sim/read-book.ts";
import { scenarioOf, type Scenario } from "../../src/sim/scenario.ts";
import { SentCommands } from "../../src/sim/sent-commands.ts";
import {
  limit,
  NOW,
  testAddress,
  testExchange,
  testHash,
  testMarket,
} from "../support/exchange.ts";

export const owner = testAddress(1);
export const other = testAddress(2);
const end = {
  durationMs: 0,
  ordersLeft: [],
  foreignOrders: 0,
  signer: "none",
  described: new Map(),
};
export const summary = new SummaryFold({ strategies: [], startMs: 0 }).result(end);
export const goodEnd: BotEnd = { ok: true, reason: "", inQuestion: [], kept: [], summary };

/** The end of a run that told these notes of its strategies, without a name one of "". */
export function endAfter(
  notes: readonly Note[],
  more: Partial<Summary> = {},
  names: readonly string[] = [""],
): BotEnd {
  const strategies = names.map((name) => ({ name, market: testMarket() }));
  const fold = new SummaryFold({ strategies, startMs: 0 });
  fold.observe({ batch: { seq: 1, nowMs: unixMs(NOW), inputs: [] }, effects: [], notes });
  return { ...goodEnd, summary: { ...fold.result(end), ...more } };
}

/** What a test sets of a world that an invariant observes. */
export function quietWorld() {
  return {
    nowMs: 0,
    isAlive: true,
    startingSinceMs: undefined as number | undefined,
    pausedSinceMs: undefined as number | undefined,
    unreachableMs: Number.NEGATIVE_INFINITY,
    blockedMs: Number.NEGATIVE_INFINITY,
    blockedSinceMs: undefined as number | undefined,
    isStopping: false,
    appended: "",
    appendedMs: 0,
    lostByJournal: [] as readonly OrderId[],
    hasDiskFailed: false,
    verdict: undefined as string | undefined,
    shown: undefined as ShownAmounts | undefined,
    hasShownFills: true,
    booksRead: [] as ReadBook[],
    sourcesRead: [] as ReadSources[],
    wanted: [] as readonly WantedQuotes[],
    episodes: [] as readonly FaultEpisode[],
    runStartedMs: 0,
    faultsEndedMs: Number.POSITIVE_INFINITY,
    venueBehindMs: Number.NEGATIVE_INFINITY,
    limitedUntilMs: Number.NEGATIVE_INFINITY,
  };
}

export function observed(world: ReturnType<typeof quietWorld>, sent: SentCommands) {
  return {
    sent,
    venueNowMs: () => NOW + world.nowMs,
    elapsedMs: () => world.nowMs,
    isBotAlive: () => world.isAlive,
    startingSinceMs: () => world.startingSinceMs,
    pausedSinceMs: () => world.pausedSinceMs,
    unreachableMs: () => world.unreachableMs,
    blockedMs: () => world.blockedMs,
    blockedSinceMs: () => world.blockedSinceMs,
    isStopping: () => world.isStopping,
    appendedMs: (text: string) => (world.appended.includes(text) ? world.appendedMs : undefined),
    isInJournal: (orderId: OrderId) => !world.lostByJournal.includes(orderId),
    hasDiskFailed: () => world.hasDiskFailed,
    sourcesRead: () => world.sourcesRead,
    episodes: () => world.episodes,
    runStartedMs: () => world.runStartedMs,
    faultsEndedMs: () => world.faultsEndedMs,
    venueBehindMs: () => world.venueBehindMs,
    limitedUntilMs: () => world.limitedUntilMs,
    wasShown: () => world.hasShownFills,
    verify: () => world.verdict,
  };
}

/** An invariant with a world in which a test can break it. */
export function watch(name: string, more: Partial<Scenario> = {}) {
  const { exchange } = testExchange();
  const oracle = new Oracle(exchange, owner, testMarket());
  const world = quietWorld();
  const commands = new SentCommands(() => world.nowMs);
  const invariant = invariants.find((candidate) => candidate.name === name);
  if (invariant === undefined) throw new Error(`there is no invariant ${name}`);
  const scenario = { ...scenarioOf({ seed: 1, owner, faults: [] }), maxPosition: "1", ...more };
  const watched = invariant.watch({
    scenario: { ...scenario, stopsInTrouble: false },
    oracle,
    quotesPerSide: 1,
    summaryOf: (given) => [given],
    shown: () => world.shown,
    booksRead: () => world.booksRead,
    wanted: () => world.wanted,
    recentlyWanted: () => world.wanted,
    ...observed(world, commands),
  });
  const hooks: InvariantHooks = {
    ...watched,
    runStarts() {
      world.runStartedMs = world.nowMs;
      watched.runStarts?.();
    },
    faultsEnded() {
      world.faultsEndedMs = world.nowMs;
      return watched.faultsEnded?.();
    },
  };
  let seq = 0;
  const entry = (step: {
    inputs?: Input[];
    effects?: Effect[];
    notes?: Note[];
    sendDelayMs?: number;
  }) => {
    seq += 1;
    const { inputs = [], effects = [], notes = [], sendDelayMs } = step;
    const batch = { seq, nowMs: unixMs(NOW + world.nowMs), inputs };
    const told = { batch, effects, notes, tickToOrder: [], sendDelayMs };
    oracle.coverage.entry(told);
    oracle.entry(told);
    return hooks.entry?.(told);
  };
  const place = (side: "BUY" | "SELL", price: string, quantity: string): OrderId => {
    const response = exchange.execute(owner, limit(side, price, quantity), NOW);
    if (response.type === "refused") throw new Error(response.message);
    return response.txHash;
  };
  /** A power cut takes these orders from the journal, and the next run starts. */
  const lose = (...hashes: OrderId[]): void => {
    for (const hash of hashes) oracle.lost.sent(hash);
    oracle.lost.cut();
    oracle.hasJournalGap = true;
    world.lostByJournal = hashes;
    startRun();
  };
  const startRun = (): void => {
    oracle.lost.runStarts((orderId) => !world.lostByJournal.includes(orderId));
    oracle.runStarts();
    hooks.runStarts?.();
  };
  return { exchange, oracle, world, hooks, entry, place, commands, lose, startRun };
}

export function placement(price: number, quantity: string): Effect {
  const order = { side: "BUY", orderType: "LIMIT", orderMode: 0, price } as const;
  const { marketId } = testMarket();
  const size = fixed(quantity);
  return { type: "place", intent: 1, nonce: 1, strategy: "", marketId, ...order, quantity: size };
}

export const sent = (
  nonce: number,
  bytesHex: string,
  command: SeenTransaction["command"] = plain("BUY", "100", "1"),
): SeenTransaction => ({ nonce, bytesHex, hash: testHash(nonce), command });
export const plain = (...quote: Parameters<typeof limit>) => ({
  ...limit(...quote),
  tpsl: undefined,
});
export const cancelOf = (orderId: OrderId) => ({ type: "cancel", orderId }) as const;
