import type { Decimal } from "../domain/decimal.ts";
import { durationText } from "../domain/setting.ts";
import type { PnlParts } from "../metrics/pnl-attribution.ts";
import type { Summary, SummaryFields } from "../metrics/summary.ts";
import type { StatisticsResult } from "./replay-statistics.ts";

/** PnL by source as decimal text in quote token. `total` is exactly the sum of the others, and realised plus unrealised PnL. */
export interface PnlText {
  readonly spread: string;
  readonly inventory: string;
  readonly fees: string;
  readonly total: string;
}

/** The fields that a replay adds to the summary; null over several markets and where the value is undefined. */
export interface StatisticsFields {
  /** See `PnlAttribution`. */
  readonly pnl: PnlText | null;
  /** Basis points by horizon, such as `{"1s": -0.4, "5s": …, "30s": …}`; null without a fill that old. See `Markouts`. */
  readonly markouts: Readonly<Record<string, number | null>> | null;
  /** Filled ÷ placed quantity; null when nothing was placed. */
  readonly fillRatio: number | null;
  /** Maximum drawdown of the total PnL at the recorded mid, in quote token. */
  readonly maxDrawdown: string | null;
}

/** Fields of a summary that have a meaning only with a network and a signer. */
export type LiveOnly =
  | "tickToOrderP50Us"
  | "tickToOrderP99Us"
  | "bookAudits"
  | "staleMs"
  | "ownTradeLagP50Ms"
  | "ownTradeLagP99Ms"
  | "ownTradeLagMaxMs"
  | "bookAuditMismatches"
  | "signer";

/** The result line of `touchline replay --json`, without its `event`. `durationMs` is in virtual time. */
export interface ReplayResult extends Omit<Summary, LiveOnly | "strategies">, StatisticsFields {
  /** Number of recorded events that were played while the bot ran. */
  readonly events: number;
  /** Number of book levels that these events changed. */
  readonly levelChanges: number;
  /** Machine time of the whole replay, including reading and decoding the recording. */
  readonly wallMs: number;
  readonly levelChangesPerSecond: number;
  /** See `DecisionsHash`. */
  readonly decisionsHash: string;
  /** Seed of the first strategy; `strategies` has each strategy's own. */
  readonly seed: number;
  readonly strategies?: readonly ReplayStrategyResult[];
}

export interface ReplayStrategyResult extends Omit<SummaryFields, LiveOnly>, StatisticsFields {
  readonly name: string;
  readonly seed: number;
}

/** The statistics as fields of the result line. Pass undefined over several markets. */
export function statisticsFields(statistics: StatisticsResult | undefined): StatisticsFields {
  if (statistics === undefined) {
    return { pnl: null, markouts: null, fillRatio: null, maxDrawdown: null };
  }
  const { markouts, fillRatio } = statistics;
  return {
    pnl: statistics.pnl === undefined ? null : pnlText(statistics.pnl),
    markouts: Object.fromEntries(
      markouts.map(({ horizonMs, bps }) => [durationText(horizonMs), roundedTo(bps, 4)]),
    ),
    fillRatio: roundedTo(fillRatio, 6),
    maxDrawdown: money(statistics.maxDrawdown).toFixed(),
  };
}

/** Rounds to 18 decimals. Inventory is computed from the other parts, so that the sum stays exact. */
function pnlText(parts: PnlParts): PnlText {
  const spread = money(parts.spread);
  const fees = money(parts.fees);
  const total = money(parts.total);
  return {
    spread: spread.toFixed(),
    inventory: total.minus(spread).minus(fees).toFixed(),
    fees: fees.toFixed(),
    total: total.toFixed(),
  };
}

/** Rounds to 18 decimals. Adding zero turns a negative zero into zero. */
function money(value: Decimal): Decimal {
  return value.toDecimalPlaces(18).plus(0);
}

function roundedTo(value: number | undefined, decimals: number): number | null {
  return value === undefined ? null : Number(value.toFixed(decimals));
}
