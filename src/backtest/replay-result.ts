import type { Decimal } from "../domain/decimal.ts";
import { fixedText } from "../domain/fixed.ts";
import type { Side } from "../domain/side.ts";
import type { InventoryFigures } from "../metrics/inventory-statistics.ts";
import type { Markout, MarkoutBasis, MarkoutFigures } from "../metrics/markouts.ts";
import type { PnlParts } from "../metrics/pnl-attribution.ts";
import type { Summary, SummaryFields } from "../metrics/summary.ts";
import type { SharpeEstimate } from "../metrics/sharpe-ratio.ts";
import type { StatisticsResult } from "./fill-statistics.ts";
import type { LevelFigures } from "./level-statistics.ts";
import type { ReactionFigures } from "./reaction.ts";
import type { TotalsResult } from "./replay-totals.ts";
import type { UsedModels } from "./used-models.ts";

/** PnL by source as decimal text in quote token. `total` is exactly the sum of the others, and realised plus unrealised PnL. */
export interface PnlText {
  readonly spread: string;
  readonly inventory: string;
  readonly fees: string;
  readonly total: string;
}

/** Basis points, and standard errors clustered by order, null with one order. See `Markouts`. */
export interface MarkoutFields {
  readonly midToMid: number;
  readonly midToMidError: number | null;
  readonly fillToMid: number;
  readonly fillToMidError: number | null;
  /** Orders whose fills are averaged. */
  readonly orders: number;
}

/** By horizon, such as `{"100ms": {…}, "1s": {…}}`; null without a fill that old. */
export type MarkoutsByHorizon = Readonly<Record<string, MarkoutFields | null>>;

/** See `InventoryFigures`; base token as decimal text. */
export interface InventoryFields {
  readonly mean: string;
  readonly meanAbsolute: string;
  readonly max: string;
  readonly min: string;
  readonly timeAtLimit: number | null;
  readonly halfLifeMs: number | null;
  readonly turnoverPerHour: number | null;
}

/** See `ReactionFigures`; null where there was nothing to measure. */
export type ReactionFields = {
  readonly [Name in keyof ReactionFigures]: number | null;
};

/** All strategies of all markets in one reporting currency, a token id; amounts as decimal text. */
export interface TotalsFields {
  readonly currency: string;
  readonly pnl: PnlText;
  readonly volume: string;
  readonly maxDrawdown: string;
  readonly sharpe: SharpeEstimate | null;
}

/** The fields that a replay adds to the summary; null over several markets and where the value is undefined. */
export interface StatisticsFields {
  /** See `PnlAttribution`. */
  readonly pnl: PnlText | null;
  /** Of both sides together. */
  readonly markouts: MarkoutsByHorizon | null;
  readonly markoutsBySide: {
    readonly buy: MarkoutsByHorizon;
    readonly sell: MarkoutsByHorizon;
  } | null;
  /** Age of the newest recorded book at the fills, from which the mid is; null without fills. */
  readonly midAgeMs: { readonly mean: number; readonly max: number } | null;
  /** Filled ÷ placed quantity; null when nothing was placed. */
  readonly fillRatio: number | null;
  /** Commands (placements, modifies, cancels) ÷ fills; null without fills. */
  readonly orderToTradeRatio: number | null;
  /** Commands ÷ orders with a fill; null without fills. */
  readonly commandsPerFilledOrder: number | null;
  /** Share of the maker fills of orders at whose price nothing was recorded when they entered the book; null without maker fills. */
  readonly nothingAhead: number | null;
  /** Maximum drawdown of the total PnL at the recorded mid, in quote token. */
  readonly maxDrawdown: string | null;
  readonly inventoryStatistics: InventoryFields | null;
  /** By level of the ladder (`key` of a quote). */
  readonly levels: readonly LevelFigures[] | null;
  /** How soon quotes follow the market; null over several markets. See `Reaction`. */
  readonly reaction: ReactionFields | null;
  /** Of the PnL in quote token; null for a short run and for a PnL that did not move. See `SharpeRatio`. */
  readonly sharpe: SharpeEstimate | null;
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
  /** What the figures leave out, one sentence each. */
  readonly notModelled: readonly string[];
  /** Null when the markets' tokens cannot be added: no reporting currency, or a mid that was never known. */
  readonly totals: TotalsFields | null;
  readonly models: UsedModels;
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
    return {
      pnl: null,
      markouts: null,
      markoutsBySide: null,
      midAgeMs: null,
      fillRatio: null,
      orderToTradeRatio: null,
      commandsPerFilledOrder: null,
      nothingAhead: null,
      maxDrawdown: null,
      inventoryStatistics: null,
      levels: null,
      reaction: null,
      sharpe: null,
    };
  }
  const { markouts, midAgeMs, fillRatio, orderToTradeRatio, inventory, sharpe } = statistics;
  const { commands, filledOrders, makerFills, fillsWithNothingAhead, reaction } = statistics;
  const ofSide = (side: Side): MarkoutsByHorizon =>
    markoutsByHorizon(markouts, ({ sides }) => sides[side]);
  return {
    pnl: statistics.pnl === undefined ? null : pnlText(statistics.pnl),
    markouts: markoutsByHorizon(markouts, ({ all }) => all),
    markoutsBySide: { buy: ofSide("BUY"), sell: ofSide("SELL") },
    midAgeMs:
      midAgeMs === undefined ? null : { ...midAgeMs, mean: Number(midAgeMs.mean.toFixed(1)) },
    fillRatio: roundedTo(fillRatio, 6),
    orderToTradeRatio: roundedTo(orderToTradeRatio, 4),
    commandsPerFilledOrder: roundedTo(ratio(commands, filledOrders), 4),
    nothingAhead: roundedTo(ratio(fillsWithNothingAhead, makerFills), 4),
    maxDrawdown: moneyText(statistics.maxDrawdown),
    inventoryStatistics: inventoryFields(inventory),
    levels: statistics.levels.map((level) => ({
      ...level,
      markouts: Object.fromEntries(
        Object.entries(level.markouts).map(([ms, mean]) => [horizonText(Number(ms)), mean]),
      ),
    })),
    reaction: {
      p50Ms: roundedTo(reaction.p50Ms, 0),
      p90Ms: roundedTo(reaction.p90Ms, 0),
      offTargetFills: roundedTo(reaction.offTargetFills, 4),
      leavingFills: roundedTo(reaction.leavingFills, 4),
      leavingMaxMs: roundedTo(reaction.leavingMaxMs, 0),
    },
    sharpe: sharpeField(sharpe),
  };
}

/** The totals as a field of the result line. */
export function totalsFields(totals: TotalsResult | undefined): TotalsFields | null {
  if (totals === undefined) return null;
  const { currency, pnl, volume, maxDrawdown, sharpe } = totals;
  return {
    currency,
    pnl: pnlText(pnl),
    volume: moneyText(volume),
    maxDrawdown: moneyText(maxDrawdown),
    sharpe: sharpeField(sharpe),
  };
}

/** `-0.64 ±0.12`, basis points and the standard error where there is one. */
export function markoutText(
  fields: MarkoutFields | null,
  basis: MarkoutBasis,
  decimals: number,
): string {
  if (fields === null) return "–";
  const error = fields[`${basis}Error`];
  const text = fields[basis].toFixed(decimals);
  return error === null ? text : `${text} ±${error.toFixed(decimals)}`;
}

/** `43 on average, 100 at most`. */
export function midAgeText(age: StatisticsFields["midAgeMs"]): string {
  return age === null ? "none" : `${age.mean} on average, ${age.max} at most`;
}

/** `120 ms (p50), 480 ms (p90); 4.1 % of the fills on quotes left off target, 2.0 % on leaving ones, at most 10 ms after the command`. */
export function reactionText({
  p50Ms,
  p90Ms,
  offTargetFills,
  leavingFills,
  leavingMaxMs,
}: ReactionFields): string {
  const percent = (share: number | null): string => ((share ?? 0) * 100).toFixed(1);
  const delay = p50Ms === null ? "no move" : `${p50Ms} ms (p50), ${p90Ms} ms (p90)`;
  const fills = `${percent(offTargetFills)} % of the fills on quotes left off target`;
  const after = leavingMaxMs === null ? "" : `, at most ${leavingMaxMs} ms after the command`;
  return `${delay}; ${fills}, ${percent(leavingFills)} % on leaving ones${after}`;
}

/** A markout's horizon as a key of the result, such as `100ms` or `30s`. */
function horizonText(horizonMs: number): string {
  return horizonMs < 1_000 ? `${horizonMs}ms` : `${horizonMs / 1000}s`;
}

function markoutsByHorizon(
  markouts: readonly Markout[],
  figuresOf: (markout: Markout) => MarkoutFigures | undefined,
): MarkoutsByHorizon {
  return Object.fromEntries(
    markouts.map((markout) => [horizonText(markout.horizonMs), markoutFields(figuresOf(markout))]),
  );
}

function markoutFields(figures: MarkoutFigures | undefined): MarkoutFields | null {
  if (figures === undefined) return null;
  const { midToMid, fillToMid, orders } = figures;
  return {
    midToMid: Number(midToMid.mean.toFixed(4)),
    midToMidError: roundedTo(midToMid.error, 4),
    fillToMid: Number(fillToMid.mean.toFixed(4)),
    fillToMidError: roundedTo(fillToMid.error, 4),
    orders,
  };
}

function ratio(count: number, of: number): number | undefined {
  return of === 0 ? undefined : count / of;
}

function inventoryFields(figures: InventoryFigures): InventoryFields {
  return {
    mean: moneyText(figures.mean),
    meanAbsolute: moneyText(figures.meanAbsolute),
    max: fixedText(figures.max),
    min: fixedText(figures.min),
    timeAtLimit: roundedTo(figures.timeAtLimit, 6),
    halfLifeMs: roundedTo(figures.halfLifeMs, 0),
    turnoverPerHour: roundedTo(figures.turnoverPerHour, 4),
  };
}

function sharpeField(sharpe: SharpeEstimate | undefined): SharpeEstimate | null {
  if (sharpe === undefined) return null;
  const { perHour, low, high } = sharpe;
  return {
    ...sharpe,
    perHour: Number(perHour.toFixed(4)),
    low: Number(low.toFixed(4)),
    high: Number(high.toFixed(4)),
  };
}

/** Rounds to 18 decimals. Inventory is computed from the other parts, so that the sum stays exact. */
export function pnlText(parts: PnlParts): PnlText {
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

export function moneyText(value: Decimal): string {
  return money(value).toFixed();
}

function roundedTo(value: number | undefined, decimals: number): number | null {
  return value === undefined ? null : Number(value.toFixed(decimals));
}
