import type { ReplayEquity, ReplayFill, ReplayOrder } from "./replay-tables.ts";

/** A bar of a distribution: two shares (0 to 1) of two sets that are compared. */
export interface Bin {
  readonly label: string;
  readonly one: number;
  readonly other: number;
}

/** Milliseconds; null without samples. */
export interface LatencyQuantiles {
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

export interface LatencyFigures {
  /** From a decision to the exchange. */
  readonly entry: LatencyQuantiles;
  /** From the exchange until the bot knows. */
  readonly acknowledgement: LatencyQuantiles;
  /** From the exchange to the first fill. */
  readonly firstFill: LatencyQuantiles;
}

/**
 * Time shares of the recorded spread (`one`) and of the own quotes' spread (`other`), in basis points of the mid. Each of the two has bins
 * over its own range, since they may be far apart and narrow. Rows of fills are left out, so that the others are equally far apart.
 */
export function spreadBins(
  equity: readonly ReplayEquity[],
  fills: readonly ReplayFill[],
): readonly Bin[] {
  const filledMs = new Set(fills.map(({ timeMs }) => timeMs));
  const recorded: Spread[] = [];
  const own: Spread[] = [];
  for (const { timeMs, bid, ask, ownBid, ownAsk, mid } of equity) {
    if (mid === null || filledMs.has(timeMs)) continue;
    if (bid !== null && ask !== null) recorded.push(spreadOf(bid, ask, mid));
    if (ownBid !== null && ownAsk !== null) own.push(spreadOf(ownBid, ownAsk, mid));
  }
  const ends = new Set([...evenEnds(recorded), ...evenEnds(own)]);
  return binsOf(
    [...ends].sort((left, right) => left - right),
    recorded.map(({ bps }) => bps),
    own.map(({ bps }) => bps),
  );
}

interface Spread {
  /** Quote token. */
  readonly width: number;
  readonly bps: number;
}

function spreadOf(bid: string, ask: string, mid: string): Spread {
  const width = Number(ask) - Number(bid);
  return { width: Number(width.toPrecision(6)), bps: plain((width / Number(mid)) * 10_000) };
}

/** About this many bins share the range of a set. */
const RANGE_BINS = 8;

/**
 * Round upper ends of bins of equal width over nearly all of the spreads. A single end where they are one width, for instance one tick: in
 * basis points they only move as the mid does.
 */
function evenEnds(spreads: readonly Spread[]): readonly number[] {
  const [narrow, wide] = rangeOf(spreads.map(({ width }) => width));
  const [low, high] = rangeOf(spreads.map(({ bps }) => bps));
  if (low === undefined || high === undefined) return [];
  if (narrow === wide) return [roundEnd(high)];
  const width = roundWidth((high - low) / RANGE_BINS);
  const first = Math.ceil(plain(low / width));
  const count = Math.ceil(plain(high / width)) - first + 1;
  return Array.from({ length: count }, (_, at) => plain((first + at) * width));
}

/** Lowest and highest value, without the outermost 2 % of both ends. */
function rangeOf(values: readonly number[]): readonly [low?: number, high?: number] {
  const sorted = values.toSorted((left, right) => left - right);
  const low = sorted[Math.floor(sorted.length * 0.02)];
  const high = sorted[Math.ceil(sorted.length * 0.98) - 1];
  return low === undefined || high === undefined ? [] : [low, high];
}

/** The next larger of 1, 2 and 5 times a power of ten. */
function roundWidth(width: number): number {
  if (!(width > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(width));
  return power * ([1, 2, 5].find((factor) => factor * power >= width) ?? 10);
}

/** The value rounded up to two digits. */
function roundEnd(value: number): number {
  if (!(value > 0)) return plain(value);
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return plain(Math.ceil(plain(value / unit)) * unit);
}

/** Without the digits that binary fractions add. */
function plain(value: number): number {
  return Number(value.toPrecision(10));
}

/** Upper ends of the queue's bins, in sizes of the order itself. */
const queueEnds = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500];

/** Limit orders by the recorded quantity at their price when they arrived: all of them (`one`) and those that were filled (`other`). */
export function queueBins(orders: readonly ReplayOrder[]): readonly Bin[] {
  const all: number[] = [];
  const filled: number[] = [];
  for (const { queueAhead, quantity, firstFillMs } of orders) {
    if (queueAhead === null || Number(quantity) === 0) continue;
    const sizes = Number(queueAhead) / Number(quantity);
    all.push(sizes);
    if (firstFillMs !== null) filled.push(sizes);
  }
  return binsOf(queueEnds, all, filled);
}

/** Latencies of a replay's orders; each order counts where it has both times. */
export function latencyOf(orders: readonly ReplayOrder[]): LatencyFigures {
  const between = (
    from: (row: ReplayOrder) => number | null,
    to: (row: ReplayOrder) => number | null,
  ) =>
    quantilesOf(
      orders.flatMap((order) => {
        const [start, end] = [from(order), to(order)];
        return start === null || end === null ? [] : [end - start];
      }),
    );
  return {
    entry: between(
      ({ timeMs }) => timeMs,
      ({ enteredMs }) => enteredMs,
    ),
    acknowledgement: between(
      ({ enteredMs }) => enteredMs,
      ({ acknowledgedMs }) => acknowledgedMs,
    ),
    firstFill: between(
      ({ enteredMs }) => enteredMs,
      ({ firstFillMs }) => firstFillMs,
    ),
  };
}

/** Empty bins at both ends are left out. */
function binsOf(
  ends: readonly number[],
  one: readonly number[],
  other: readonly number[],
): readonly Bin[] {
  if (one.length === 0) return [];
  const sharesOf = (values: readonly number[]): readonly number[] => {
    const counts = Array.from({ length: ends.length + 1 }, () => 0);
    for (const value of values) {
      // Differences of prices are off by the rounding of doubles.
      const found = ends.findIndex((end) => value <= end * (1 + 1e-9));
      const at = found < 0 ? ends.length : found;
      counts[at] = (counts[at] ?? 0) + 1;
    }
    return counts.map((count) => count / Math.max(1, values.length));
  };
  const [ones, others] = [sharesOf(one), sharesOf(other)];
  const bins = ones.map((share, at) => ({
    label: labelOf(ends, at),
    one: share,
    other: others[at] ?? 0,
  }));
  const isUsed = (bin: Bin): boolean => bin.one > 0 || bin.other > 0;
  return bins.slice(bins.findIndex(isUsed), bins.findLastIndex(isUsed) + 1);
}

function labelOf(ends: readonly number[], at: number): string {
  const end = ends[at];
  if (end === undefined) return `> ${ends.at(-1) ?? 0}`;
  return at === 0 ? (end === 0 ? "0" : `≤ ${end}`) : `${ends[at - 1] ?? 0} – ${end}`;
}

function quantilesOf(values: readonly number[]): LatencyQuantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number | null =>
    sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? null };
}
