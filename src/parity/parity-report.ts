import { addFixed, fixed, type Fixed, fixedText, fixedToNumber, ZERO } from "../domain/fixed.ts";
import type { MarkoutsByHorizon, PnlText } from "../backtest/replay-result.ts";
import { savedRole } from "../orders/restored-order.ts";
import { atLeastAsGood, fillScore, type FillScore, type ScoredFill } from "./fill-score.ts";
import type { LiveRun } from "./live-run.ts";
import { matchOrders, type Matchable } from "./match.ts";
import type { ParityRuns, ReplayedRun, SideFigures } from "./run-parity.ts";

/** Figures of one combination of models, as the JSON lines have them. Shares are from 0 to 1. */
export interface ModelRow {
  readonly queue: string;
  readonly latency: string;
  /** See `FillScore`. */
  readonly score: number;
  readonly precision: number;
  readonly recall: number;
  readonly excess: number;
  readonly fills: number;
  readonly pnl: PnlText | null;
  /** Replayed less live PnL ÷ the live run's gross PnL (|spread| + |inventory| + |fees|), mean over strategies; null where it is not known. */
  readonly pnlError: number | null;
  readonly markouts: MarkoutsByHorizon | null;
  readonly orders: {
    readonly matched: number;
    readonly onlyLive: number;
    readonly onlyReplay: number;
  };
  /** Share of bootstrap samples in which it is at least as good as the best; 1 for the best. */
  readonly atLeastAsGood: number;
}

/** One order of the run, of the replay, or of both. */
export type ParityOrderRow = {
  readonly found: "both" | "live" | "replay";
  readonly strategy: string;
  readonly market: string;
  readonly side: string;
  readonly price: string;
  readonly liveMs: number | null;
  readonly replayMs: number | null;
  readonly liveQuantity: string | null;
  readonly replayQuantity: string | null;
  readonly liveFilled: string | null;
  readonly replayFilled: string | null;
  readonly liveOrderId: string | null;
  readonly replayOrderId: string | null;
};

export interface ParityReport {
  readonly live: {
    readonly fills: number;
    readonly orders: number;
    readonly pnl: PnlText | null;
    readonly markouts: MarkoutsByHorizon | null;
  };
  /** Best first. */
  readonly models: readonly ModelRow[];
  /** Undefined when the run has no fills: then nothing can be said. */
  readonly best: ModelRow | undefined;
  /** Queues and latencies of the combinations that cannot be told from the best, its own included. */
  readonly alike: { readonly queues: readonly string[]; readonly latencies: readonly string[] };
  /** The orders of the run beside those of the best combination. */
  readonly orderRows: readonly ParityOrderRow[];
}

/** A combination whose score is at least the best one's in this share of samples cannot be told from it. */
export const ALIKE_FROM = 0.05;

/** Compares every replay with the run. `windowMs`: how far a fill or an order may be from the one that it matches. */
export function parityReport(run: LiveRun, runs: ParityRuns, windowMs: number): ParityReport {
  const { live, replayed, market } = runs;
  const liveFills = run.fills.map(({ strategy, fill }) => ({
    key: `${strategy} ${fill.marketId} ${fill.side} ${fixedText(fill.price)}`,
    part: `${strategy} ${fill.marketId}`,
    timeMs: fill.timeMs - market.offsetMs,
    quantity: fixedToNumber(fill.quantity),
    value: fixedToNumber(fill.quantity) * fixedToNumber(fill.price),
  }));
  const weightOf = weights(liveFills);
  const scored = liveFills.map((fill): ScoredFill => ({ ...fill, weight: weightOf(fill) }));
  const fromMs = run.orders[0]?.timeMs ?? run.header.startedAtMs;
  const times = { fromMs, toMs: run.stopMs, windowMs };
  const scores = replayed.map(({ tables }) =>
    fillScore(
      scored,
      tables.fills.map((fill): ScoredFill => {
        const { strategy, market: marketId, side, price, timeMs } = fill;
        const quantity = Number(fill.quantity);
        const value = quantity * Number(price);
        const weight = weightOf({ part: `${strategy} ${marketId}`, value });
        return { key: `${strategy} ${marketId} ${side} ${price}`, timeMs, quantity, weight };
      }),
      times,
    ),
  );
  const best = bestOf(scores);
  const asGood = atLeastAsGood(scores, best);
  const filledLive = new Map<string, Fixed>();
  for (const { fill } of run.fills) {
    const before = filledLive.get(fill.orderId) ?? ZERO;
    filledLive.set(fill.orderId, addFixed(before, fill.quantity));
  }
  const liveOrders = run.orders.map(({ order, timeMs }) => liveItem(order, timeMs, filledLive));
  const rowsOf = ({ tables }: ReplayedRun): readonly ParityOrderRow[] =>
    orderRows(liveOrders, tables.orders.map(replayItem), windowMs);
  const models = replayed.map((one, at): ModelRow => {
    const score = scores[at];
    const rows = rowsOf(one);
    const count = (found: ParityOrderRow["found"]): number =>
      rows.filter((row) => row.found === found).length;
    return {
      queue: one.fills.queue,
      latency: one.latency.name,
      score: score?.score ?? 0,
      precision: score?.precision ?? 0,
      recall: score?.recall ?? 0,
      excess: score?.excess ?? 0,
      fills: one.figures.fills,
      pnl: one.figures.pnl,
      pnlError: pnlError(live, one.figures),
      markouts: one.figures.markouts,
      orders: { matched: count("both"), onlyLive: count("live"), onlyReplay: count("replay") },
      atLeastAsGood: asGood[at] ?? 0,
    };
  });
  const hasFills = run.fills.length > 0;
  const winner = models[best];
  const chosen = replayed[best];
  const alike = hasFills ? models.filter((row) => row.atLeastAsGood >= ALIKE_FROM) : [];
  const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];
  return {
    live: {
      fills: live.fills,
      orders: run.orders.length,
      pnl: live.pnl,
      markouts: live.markouts,
    },
    models: models.toSorted((left, right) => right.score - left.score),
    best: hasFills ? winner : undefined,
    alike: {
      queues: unique(alike.map(({ queue }) => queue)),
      latencies: unique(alike.map(({ latency }) => latency)),
    },
    orderRows: chosen === undefined ? [] : rowsOf(chosen),
  };
}

function bestOf(scores: readonly FillScore[]): number {
  let best = 0;
  for (const [at, { score }] of scores.entries()) {
    if (score > (scores[best]?.score ?? 0)) best = at;
  }
  return best;
}

/** What a fill counts: its value ÷ the mean value of its strategy's live fills in the market; 1 where there are none. */
function weights(
  live: readonly { readonly part: string; readonly value: number }[],
): (fill: { readonly part: string; readonly value: number }) => number {
  const sums = new Map<string, { value: number; count: number }>();
  for (const { part, value } of live) {
    const sum = sums.get(part) ?? { value: 0, count: 0 };
    sums.set(part, { value: sum.value + value, count: sum.count + 1 });
  }
  return ({ part, value }) => {
    const sum = sums.get(part);
    return sum === undefined ? 1 : (value * sum.count) / sum.value;
  };
}

function pnlError(live: SideFigures, replayed: SideFigures): number | null {
  const errors: number[] = [];
  for (const [name, { pnl }] of live.strategies) {
    const other = replayed.strategies.get(name)?.pnl ?? null;
    if (pnl === null || other === null) return null;
    const gross =
      Math.abs(Number(pnl.spread)) + Math.abs(Number(pnl.inventory)) + Math.abs(Number(pnl.fees));
    if (gross > 0) errors.push((Number(other.total) - Number(pnl.total)) / gross);
  }
  if (errors.length === 0) return null;
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}

/** An order of either side; `row` has the cells that only this side knows. */
interface OrderItem extends Matchable {
  readonly shared: Pick<ParityOrderRow, "strategy" | "market" | "side" | "price">;
  readonly quantityText: string;
  readonly filledText: string;
  readonly orderId: string | null;
}

function liveItem(
  order: LiveRun["orders"][number]["order"],
  timeMs: number,
  filled: ReadonlyMap<string, Fixed>,
): OrderItem {
  const { strategy, marketId: market, side, price, quantity, orderId } = order;
  const shared = { strategy, market, side, price: String(price) };
  return {
    key: keyOf(shared, savedRole(order)),
    timeMs,
    quantity: Number(quantity),
    shared,
    quantityText: fixedText(fixed(quantity)),
    filledText: fixedText(filled.get(orderId) ?? ZERO),
    orderId,
  };
}

function replayItem(row: ReplayedRun["tables"]["orders"][number]): OrderItem {
  const { strategy, market, side, price, quantity, executed, orderId, timeMs, role } = row;
  const shared = { strategy, market, side, price: String(Number(price)) };
  return {
    key: keyOf(shared, role),
    timeMs,
    quantity: Number(quantity),
    shared,
    quantityText: quantity,
    filledText: executed,
    orderId,
  };
}

function keyOf({ strategy, market, side, price }: OrderItem["shared"], role: string): string {
  return `${strategy} ${market} ${role} ${side} ${price}`;
}

/** Every order once, by time; an order of both sides in one row. */
function orderRows(
  live: readonly OrderItem[],
  replayed: readonly OrderItem[],
  windowMs: number,
): readonly ParityOrderRow[] {
  const matches = matchOrders(live, replayed, windowMs);
  const partners = new Map(matches.map((match) => [match.live, match.replayed]));
  const matched = new Set(matches.map((match) => match.replayed));
  const rows = [
    ...live.map((item) => rowOf(item.shared, item, partners.get(item))),
    ...replayed
      .filter((item) => !matched.has(item))
      .map((item) => rowOf(item.shared, undefined, item)),
  ];
  return rows.toSorted((a, b) => (a.liveMs ?? a.replayMs ?? 0) - (b.liveMs ?? b.replayMs ?? 0));
}

function rowOf(
  shared: OrderItem["shared"],
  live: OrderItem | undefined,
  replayed: OrderItem | undefined,
): ParityOrderRow {
  return {
    found: live === undefined ? "replay" : replayed === undefined ? "live" : "both",
    ...shared,
    liveMs: live?.timeMs ?? null,
    replayMs: replayed?.timeMs ?? null,
    liveQuantity: live?.quantityText ?? null,
    replayQuantity: replayed?.quantityText ?? null,
    liveFilled: live?.filledText ?? null,
    replayFilled: replayed?.filledText ?? null,
    liveOrderId: live?.orderId ?? null,
    replayOrderId: replayed?.orderId ?? null,
  };
}
