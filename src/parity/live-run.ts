import { addFixed, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId, TokenId } from "../domain/ids.ts";
import type { OrderReport } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { TimedCommand } from "../backtest/replay.ts";
import type { SourceStep } from "../backtest/source-inputs.ts";
import type { BatchEntry, RunHeader, StrategyFill } from "../journal/entry.ts";
import { latencyRows, reportsOf } from "../journal/latency-rows.ts";
import { placedOrders } from "../journal/placed-orders.ts";
import { ownFills, restoredBy } from "../journal/own-fills.ts";
import type { CarriedItem, Input, RestoredOrder } from "../kernel/input.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import type { DelaySample } from "../simulated/delay.ts";
import { OwnLiquidity, withoutOwn } from "./own-liquidity.ts";

/** An order that the run placed, with the time of the step that decided on it. */
export interface LiveOrder {
  readonly order: RestoredOrder;
  readonly timeMs: UnixMs;
}

/** Delays that the journal shows, in order of time. */
export interface MeasuredLatency {
  readonly entry: readonly DelaySample[];
  readonly response: readonly DelaySample[];
  readonly feed: readonly DelaySample[];
}

/** What a journal has of a run: the market as the bot received it, and everything that happened to its own orders. */
export interface LiveRun {
  readonly header: RunHeader;
  readonly orders: readonly LiveOrder[];
  readonly fills: readonly StrategyFill[];
  /** What the bot received of each market, in order of receipt, without its own orders. */
  readonly market: ReadonlyMap<MarketId, readonly (MarketEvent | "lost")[]>;
  /** The account before the first order; empty when it was never read. */
  readonly balances: ReadonlyMap<TokenId, Fixed>;
  /** What earlier runs left: positions, pauses, risk steps, the strategies' own state. */
  readonly carried: readonly CarriedItem[];
  readonly commands: readonly TimedCommand[];
  /** Values of price sources from outside. */
  readonly sources: readonly SourceStep[];
  readonly latency: MeasuredLatency;
  /** The venue's clock minus ours: the middle one of the readings, 0 without one. */
  readonly offsetMs: number;
  /** When the bot was told to stop; the time of its last step when it was not. */
  readonly stopMs: UnixMs;
}

/** Reads a run from its batches, which must begin with its first. */
export function liveRun(header: RunHeader, batches: readonly BatchEntry[]): LiveRun {
  const inputs = batches.flatMap((entry) =>
    entry.batch.inputs.map((input) => ({ input, nowMs: entry.batch.nowMs })),
  );
  const fills = [...ownFills(batches)];
  const own = ownOrders(batches);
  const reports = inputs.flatMap(({ input }) => reportsOf(input).filter(isOneOf(own)));
  return {
    header,
    orders: liveOrders(batches),
    fills,
    market: receivedMarket(header, inputs, new OwnLiquidity(reports), fills),
    balances: firstBalances(inputs),
    carried: inputs.flatMap(({ input }) =>
      input.type === "restored" ? input.restored.carried : [],
    ),
    commands: inputs.flatMap(({ input, nowMs }) => {
      if (input.type !== "operator" || input.command === "stop") return [];
      const { type: _, ...command } = input;
      return [{ atMs: nowMs, command }];
    }),
    sources: inputs.flatMap(({ input, nowMs }) =>
      input.type === "source" ? [{ atMs: nowMs, input }] : [],
    ),
    latency: measured(batches),
    offsetMs: middle(
      inputs.flatMap(({ input }) => (input.type === "venueTime" ? [input.offsetMs] : [])),
    ),
    stopMs: stopOf(inputs) ?? batches.at(-1)?.batch.nowMs ?? header.startedAtMs,
  };
}

interface TimedInput {
  readonly input: Input;
  readonly nowMs: UnixMs;
}

function stopOf(inputs: readonly TimedInput[]): UnixMs | undefined {
  return inputs.find(
    ({ input }) =>
      input.type === "mustStop" || (input.type === "operator" && input.command === "stop"),
  )?.nowMs;
}

function ownOrders(batches: readonly BatchEntry[]): ReadonlySet<OrderId> {
  const ids = new Set<OrderId>();
  for (const entry of batches) {
    for (const input of entry.batch.inputs) {
      for (const { orderId } of restoredBy(input)) ids.add(orderId);
    }
    for (const { orderId } of placedOrders(entry)) ids.add(orderId);
  }
  return ids;
}

function isOneOf(own: ReadonlySet<OrderId>): (report: OrderReport) => boolean {
  return ({ orderId }) => own.has(orderId);
}

function liveOrders(batches: readonly BatchEntry[]): readonly LiveOrder[] {
  return batches.flatMap((entry) => {
    const adopted = entry.effects.flatMap((effect) =>
      effect.type === "adopt" ? [effect.order.orderId] : [],
    );
    return placedOrders(entry)
      .filter(({ orderId }) => !adopted.includes(orderId))
      .map((order) => ({ order, timeMs: entry.batch.nowMs }));
  });
}

function firstBalances(inputs: readonly TimedInput[]): ReadonlyMap<TokenId, Fixed> {
  for (const { input } of inputs) {
    if (input.type !== "balances") continue;
    return new Map(
      input.balances.map(({ tokenId, locked, unlocked }) => [tokenId, addFixed(locked, unlocked)]),
    );
  }
  return new Map();
}

function measured(batches: readonly BatchEntry[]): MeasuredLatency {
  const rows = [...latencyRows(1, batches)];
  const samplesOf = (way: keyof MeasuredLatency): readonly DelaySample[] =>
    rows
      .filter((row) => row.way === way)
      .map(({ time, ms }) => ({ timeMs: time, ms }))
      .toSorted((left, right) => left.timeMs - right.timeMs);
  return {
    entry: samplesOf("entry"),
    response: samplesOf("response"),
    feed: samplesOf("feed"),
  };
}

/** The middle one of the values, 0 of none. */
export function middle(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * The public data of each market as the bot received it, less what was its own: the quantity of its orders in the book, and the trades in
 * which it was the taker. Trades that met its orders stay, since somebody else sent them.
 */
function receivedMarket(
  { markets }: RunHeader,
  inputs: readonly TimedInput[],
  own: OwnLiquidity,
  fills: readonly StrategyFill[],
): LiveRun["market"] {
  const taken = new Set(
    fills.filter(({ fill }) => !fill.isMaker).map(({ fill }) => `${fill.marketId} ${fill.tradeId}`),
  );
  const received = new Map<MarketId, (MarketEvent | "lost")[]>(
    markets.map(({ marketId }) => [marketId, []]),
  );
  for (const { input, nowMs: atMs } of inputs) {
    switch (input.type) {
      case "depth": {
        const event = withoutOwn(input.event, own);
        received.get(event.marketId)?.push({ type: "depth", atMs, event });
        break;
      }
      case "book": {
        const snapshot = withoutOwn(input.snapshot, own);
        received.get(snapshot.marketId)?.push({ type: "book", atMs, snapshot });
        break;
      }
      case "trade": {
        const { trade } = input;
        if (taken.has(`${trade.marketId} ${trade.tradeId}`)) break;
        received.get(trade.marketId)?.push({ type: "trade", atMs, trade });
        break;
      }
      case "stream":
        if (input.state === "closed") for (const events of received.values()) events.push("lost");
        break;
      case "resubscribed":
        if (input.channel.kind === "depth") received.get(input.channel.marketId)?.push("lost");
        break;
      default:
        break;
    }
  }
  return received;
}
