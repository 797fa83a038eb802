import { counted } from "../base/counted.ts";
import type { Resolution } from "../domain/candle.ts";
import { type CandleSeries, candleOfTrade } from "../domain/candle-series.ts";
import type { Trade } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { shown } from "../strategy/shown.ts";
import type { CandlesView } from "../strategy/warm-up.ts";
import type { Read } from "./effect.ts";
import type { Input } from "./input.ts";
import { closeRead } from "./read-responses.ts";
import { shownTrade } from "./shown-trade.ts";
import { slotsOf } from "./slots.ts";
import { type KernelState, venueNowMs } from "./state.ts";
import type { StrategySlot } from "./strategy/strategy-slot.ts";
import type { KeptSeries } from "./wanted-history.ts";

/*
 * The venue's history of a market (`StrategyDefinition.warmUp`). Candles are read at the start and whenever the stream opens, since trades
 * may be missing then, and each one again soon after its end, as the venue has it. In between public trades continue them.
 */

/** How long a strategy waits for its warm-up; then it starts without. */
const WAIT_MS = 30_000;
/** A candle is read this long after its end: by then the venue has all of its trades. */
const SETTLE_MS = 2_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Reads what is missing, once the stream is open and the venue's clock is known. */
export function readHistories(state: KernelState): void {
  if (!state.streamOpen || state.venueOffsetMs === undefined) return;
  const { histories } = state;
  histories.sinceMs = Math.min(histories.sinceMs, state.nowMs);
  for (const { marketId, series, wantedTrades, hasTrades } of histories.markets) {
    if (!hasTrades)
      state.reads.want({ type: "trades", marketId, limit: wantedTrades }, state.nowMs);
    for (const { candles } of series) wantCandles(state, marketId, candles, state.nowMs, true);
  }
}

function wantCandles(
  { reads }: KernelState,
  marketId: MarketId,
  { resolution }: CandleSeries,
  dueMs: number,
  again = false,
): void {
  reads.want({ type: "candles", marketId, resolution, fromMs: 0 }, dueMs, { again });
}

/** The read as it is sent: since the candles that are as the venue has them. */
export function candlesRead(
  state: KernelState,
  read: Extract<Read, { type: "candles" }>,
): Extract<Read, { type: "candles" }> {
  const kept = keptOf(state, read);
  if (kept === undefined) return read;
  const { candles, count, exactMs = 0 } = kept;
  const firstMs = candles.openMs(venueNowMs(state)) - count * candles.intervalMs;
  return { ...read, fromMs: Math.max(candles.openMs(exactMs), firstMs) };
}

export function onCandles(state: KernelState, input: Extract<Input, { type: "candles" }>): void {
  const { marketId, resolution } = input;
  const queriedMs = closeRead(state, "candles", `${marketId} ${resolution}`);
  const kept = keptOf(state, input);
  if (kept === undefined) return;
  const { candles, count } = kept;
  const isFirst = kept.exactMs === undefined;
  kept.exactMs = queriedMs + (state.venueOffsetMs ?? 0) - SETTLE_MS;
  candles.replace(input.fromMs, input.candles, kept.exactMs);
  const nowMs = venueNowMs(state);
  const had = candles.closed(nowMs).length;
  if (isFirst && had < count) {
    const text = `${marketId}: there are only ${had} of the ${counted(count, "candle")} of resolution ${resolution} that a strategy warms up with`;
    state.notes.push({ type: "warning", code: "HISTORY_SHORT", message: text });
  }
  const endMs = candles.openMs(kept.exactMs) + candles.intervalMs;
  wantCandles(state, marketId, candles, state.nowMs + endMs + SETTLE_MS - nowMs);
  for (const slot of state.slots) if (slot.marketId === marketId) slot.runner.news.market = true;
}

/** Trades from before the stream come first in the next view of each strategy that wants them. */
export function onTrades(state: KernelState, input: Extract<Input, { type: "trades" }>): void {
  const { marketId, trades } = input;
  closeRead(state, "trades", marketId);
  const history = state.histories.markets.find((one) => one.marketId === marketId);
  if (history === undefined || history.hasTrades) return;
  history.hasTrades = true;
  for (const { runner, marketId: id, trades: seen } of state.slots) {
    const wanted = runner.warmUp?.trades ?? 0;
    if (id !== marketId || wanted === 0) continue;
    const known = new Set(seen.map(({ tradeId }) => tradeId));
    const { timeMs: untilMs = NEVER } = seen[0] ?? {};
    const before = trades
      .slice(-wanted)
      .filter(({ timeMs, tradeId }) => timeMs <= untilMs && !known.has(tradeId));
    seen.unshift(...before.map((trade) => shownTrade(state, trade)));
    runner.news.market = true;
  }
}

/** A public trade of the stream continues the candles. */
export function followCandles(state: KernelState, trade: Trade): void {
  for (const { marketId, series } of state.histories.markets) {
    if (marketId !== trade.marketId) continue;
    for (const { candles } of series) candles.add(candleOfTrade(trade));
  }
}

/** Lets the strategies begin whose history is there, and those that have waited long enough. */
export function watchHistories(state: KernelState): void {
  const { histories, runners, nowMs, notes } = state;
  if (histories.markets.length === 0) return;
  const isOver = nowMs >= histories.sinceMs + WAIT_MS;
  for (const runner of runners) {
    if (!runner.awaitsHistory) continue;
    const slots = slotsOf(state, runner.name);
    const isThere = slots.every(({ marketId }) => isComplete(state, marketId));
    if (!isThere && !isOver) continue;
    runner.awaitsHistory = false;
    runner.needsDecision = true;
    if (isThere) continue;
    const message = `${runner.name} starts without its warm-up: the venue has not given the history for ${WAIT_MS / 1000} s`;
    notes.push({ type: "warning", code: "HISTORY_MISSING", message });
  }
}

function isComplete({ histories }: KernelState, marketId: MarketId): boolean {
  return histories.markets.every(
    (one) =>
      one.marketId !== marketId ||
      (one.hasTrades && one.series.every(({ exactMs }) => exactMs !== undefined)),
  );
}

/** When a strategy stops waiting for its history, our clock; Infinity when none waits. */
export function nextHistoryMs({ histories, runners }: KernelState): number {
  const waits = histories.markets.length > 0 && runners.some((runner) => runner.awaitsHistory);
  return waits ? histories.sinceMs + WAIT_MS : NEVER;
}

/** The candles that a strategy sees. Throws TypeError for a resolution that its warm-up does not ask for. */
export function candlesView(
  state: KernelState,
  { runner, marketId }: Pick<StrategySlot, "runner" | "marketId">,
  resolution: Resolution,
): CandlesView {
  const count = runner.warmUp?.candles.get(resolution);
  const kept = keptOf(state, { marketId, resolution });
  if (count === undefined || kept === undefined) {
    throw new TypeError(
      `view.candles(${shown(resolution)}) needs warmUp: { candles: { resolution: ${shown(resolution)}, count: … } } in the strategy`,
    );
  }
  const nowMs = venueNowMs(state);
  const closed = kept.candles.closed(nowMs);
  return { closed: count === 0 ? [] : closed.slice(-count), open: kept.candles.open(nowMs) };
}

function keptOf(
  { histories }: KernelState,
  { marketId, resolution }: { readonly marketId: MarketId; readonly resolution: Resolution },
): KeptSeries | undefined {
  return histories.markets
    .find((one) => one.marketId === marketId)
    ?.series.find(({ candles }) => candles.resolution === resolution);
}
