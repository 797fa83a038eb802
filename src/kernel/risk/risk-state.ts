import type { Fixed } from "../../domain/fixed.ts";
import type { MarketId, TokenId } from "../../domain/ids.ts";
import { marketIdsOf, type TradesIn } from "../../domain/market-roles.ts";
import { mainQuoteToken, pairsOf, ReportingCurrency } from "../../domain/reporting-currency.ts";
import { harderStep, isAtLeast, type RiskStep } from "../../domain/risk-step.ts";
import { RiskBaseline } from "../../risk/baseline.ts";
import { RiskLadder, type Standing } from "../../risk/ladder.ts";
import { RiskMeter } from "../../risk/meter.ts";
import type { KernelConfig } from "../config.ts";
import type { OperatorState } from "../operator-state.ts";
import { derivesLoss } from "./missing-limits.ts";

/** At a start, limits that need the mids of all markets wait this long for them. Markets that have a mid quote meanwhile. */
export const MIDS_MAX_MS = 10_000;

/** The risk ladder of one strategy, or of the whole bot. */
export interface RiskScope {
  /** Undefined for the whole bot. */
  readonly strategy: string | undefined;
  readonly ladder: RiskLadder;
  readonly baseline: RiskBaseline;
  readonly meter: RiskMeter;
  /**
   * Currency in which its amounts count: the bot's reporting currency, and of a strategy with several markets the quote token of its own one.
   * Undefined where nothing is converted: in one market, and where the bot's quote tokens are unrelated, so that it has no limit in amounts.
   */
  readonly currency: ReportingCurrency | undefined;
  /** Why a limit in amounts cannot be measured, and since when; undefined while all can. */
  unmeasured: { readonly sinceMs: number; readonly reason: string } | undefined;
  /** Quotes are pulled for that reason, which was noted. */
  isUnmeasuredNoted: boolean;
}

export interface RiskState {
  readonly bot: RiskScope;
  /** By the strategy's name; a strategy without triggers of its own, derived ones included, has none. */
  readonly byStrategy: ReadonlyMap<string, RiskScope>;
  readonly widenBy: number;
  /** The newest mid of each market, with which amounts are valued while there is none. */
  mids: ReadonlyMap<MarketId, number>;
  /** By token: the balance drift up to the last forced resume, which no longer counts. */
  forgivenDrift: ReadonlyMap<TokenId, Fixed>;
  /** Something happened that the triggers judge: they are evaluated in this step. */
  isDue: boolean;
  /** When the triggers are evaluated even if nothing happens. */
  nextMs: number;
}

export function makeRiskState({
  ladder,
  strategies,
  limitsToDerive,
  reportingCurrency,
  ...config
}: KernelConfig): RiskState | undefined {
  if (ladder === undefined) return undefined;
  const markets = marketIdsOf(strategies).toSorted();
  const traded = config.markets.filter(({ marketId }) => markets.includes(marketId));
  const token = reportingCurrency ?? mainQuoteToken(traded);
  const scopeOf = (
    strategy: string | undefined,
    values: NonNullable<KernelConfig["ladder"]>["bot"],
    marketIds: readonly MarketId[],
    currency: ReportingCurrency | undefined,
  ): RiskScope => ({
    strategy,
    ladder: new RiskLadder(strategy ?? "the bot", values),
    baseline: new RiskBaseline(marketIds, strategy === undefined ? reportingCurrency : undefined),
    meter: new RiskMeter(values),
    currency,
    unmeasured: undefined,
    isUnmeasuredNoted: false,
  });
  return {
    bot: scopeOf(
      undefined,
      ladder.bot,
      markets,
      token === undefined ? undefined : new ReportingCurrency(token, traded),
    ),
    byStrategy: new Map(
      strategies
        .map((one) =>
          scopeOf(
            one.name,
            ladder.strategies[one.name] ?? {},
            marketIdsOf([one]),
            ownCurrency(one),
          ),
        )
        .filter(
          ({ ladder: own, strategy }) => !own.isEmpty || derivesLoss(limitsToDerive, strategy),
        )
        .map((scope) => [scope.strategy ?? "", scope]),
    ),
    widenBy: ladder.widenBy,
    mids: new Map(),
    forgivenDrift: new Map(),
    isDue: false,
    nextMs: 0,
  };
}

/** The quote token of its own market, into which the markets of a strategy with several convert; undefined with one. */
function ownCurrency(strategy: TradesIn): ReportingCurrency | undefined {
  const [own, ...others] = pairsOf([strategy]);
  if (own === undefined || others.length === 0) return undefined;
  return new ReportingCurrency(own.quoteToken, [own, ...others]);
}

/** The part of the kernel that has the risk state. */
interface HasRisk extends HasOperator {
  readonly risk: RiskState | undefined;
}

interface HasOperator {
  readonly operator: Pick<OperatorState, "isReduceOnly">;
}

interface HasRunner {
  readonly runner: HasOperator & { readonly name: string };
}

/** What an operator set by hand. */
const byHand: Standing = {
  step: "reduceOnly",
  trigger: undefined,
  sinceMs: 0,
  text: "set by an operator",
};

/** The hardest of a strategy's own step, the bot's and what an operator set; undefined while all are normal. */
export function standingOf(state: HasRisk, slot: HasRunner): Standing | undefined {
  const ladder = ladderStanding(state, slot);
  if (!state.operator.isReduceOnly && !slot.runner.operator.isReduceOnly) return ladder;
  return isAtLeast(ladder?.step ?? "normal", byHand.step) ? ladder : byHand;
}

function ladderStanding(
  { risk }: Pick<HasRisk, "risk">,
  { runner }: HasRunner,
): Standing | undefined {
  if (risk === undefined) return undefined;
  const bot = risk.bot.ladder.standing;
  const own = risk.byStrategy.get(runner.name)?.ladder.standing ?? bot;
  const standing = harderStep(bot.step, own.step) === bot.step ? bot : own;
  return standing.step === "normal" ? undefined : standing;
}

/** What the ladder, or an old price source, does to quotes that may be placed. */
export type QuoteMode = "free" | "widen" | "reduceOnly" | "widenedReduceOnly" | "none";

/** Why the ladder pulls a strategy's quotes; undefined when it does not. */
export function riskPullReason(state: HasRisk, slot: HasRunner): string | undefined {
  const standing = standingOf(state, slot);
  if (standing === undefined || !isAtLeast(standing.step, "pause")) return undefined;
  return `${standing.step === "halt" ? "halted" : "paused"} by risk: ${standing.text}`;
}

/** Why a strategy may not quote although the ladder has reached no step; undefined when it is not held back. */
export function unmeasuredReason(
  { risk, nowMs }: HasRisk & { readonly nowMs: number },
  { runner }: HasRunner,
): string | undefined {
  if (risk === undefined) return undefined;
  const own = risk.byStrategy.get(runner.name);
  return (
    unmeasuredIn(risk.bot, nowMs) ?? (own === undefined ? undefined : unmeasuredIn(own, nowMs))
  );
}

/** Why a scope's quotes are pulled; undefined while they are not. */
export function unmeasuredIn({ unmeasured }: RiskScope, nowMs: number): string | undefined {
  const { sinceMs, reason } = unmeasured ?? { sinceMs: nowMs, reason: undefined };
  return nowMs - sinceMs >= MIDS_MAX_MS ? reason : undefined;
}

/** Whether the ladder has halted a strategy: no order of it may be open. */
export function isHaltedByRisk(state: HasRisk, slot: HasRunner): boolean {
  return standingOf(state, slot)?.step === "halt";
}

/** By step: the code of its notes. */
export const riskCodes: Readonly<Record<RiskStep, string>> = {
  normal: "RISK_NORMAL",
  warn: "RISK_WARN",
  widen: "RISK_WIDEN",
  reduceOnly: "RISK_REDUCE_ONLY",
  pause: "RISK_PAUSE",
  halt: "RISK_HALT",
};
