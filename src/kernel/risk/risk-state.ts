import type { Fixed } from "../../domain/fixed.ts";
import type { MarketId, TokenId } from "../../domain/ids.ts";
import { mainQuoteToken, ReportingCurrency } from "../../domain/reporting-currency.ts";
import { harderStep, isAtLeast, type RiskStep } from "../../domain/risk-step.ts";
import { RiskBaseline } from "../../risk/baseline.ts";
import { RiskLadder, type Standing } from "../../risk/ladder.ts";
import { RiskMeter } from "../../risk/meter.ts";
import type { KernelConfig } from "../config.ts";
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
}

export interface RiskState {
  readonly bot: RiskScope;
  /** By the strategy's name; a strategy without triggers of its own, derived ones included, has none. */
  readonly byStrategy: ReadonlyMap<string, RiskScope>;
  readonly widenBy: number;
  /** The newest mid of each market, with which amounts are valued while there is none. */
  mids: ReadonlyMap<MarketId, number>;
  /** Currency in which the bot's amounts count; undefined where the quote tokens are unrelated, and the bot has no limit in amounts. */
  readonly currency: ReportingCurrency | undefined;
  /** Why a limit of the bot in amounts cannot be measured, and since when; undefined while all can. */
  unmeasured: { readonly sinceMs: number; readonly reason: string } | undefined;
  /** Quotes are pulled for that reason, which was noted. */
  isUnmeasuredNoted: boolean;
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
  const markets = [...new Set(strategies.map(({ marketId }) => marketId))].sort();
  const traded = config.markets.filter(({ marketId }) => markets.includes(marketId));
  const token = reportingCurrency ?? mainQuoteToken(traded);
  const scopeOf = (
    strategy: string | undefined,
    values: NonNullable<KernelConfig["ladder"]>["bot"],
    marketIds: readonly MarketId[],
  ): RiskScope => ({
    strategy,
    ladder: new RiskLadder(strategy ?? "the bot", values),
    baseline: new RiskBaseline(marketIds, strategy === undefined ? reportingCurrency : undefined),
    meter: new RiskMeter(values),
  });
  return {
    currency: token === undefined ? undefined : new ReportingCurrency(token, traded),
    bot: scopeOf(undefined, ladder.bot, markets),
    byStrategy: new Map(
      strategies
        .map(({ name, marketId }) => scopeOf(name, ladder.strategies[name] ?? {}, [marketId]))
        .filter(
          ({ ladder: own, strategy }) => !own.isEmpty || derivesLoss(limitsToDerive, strategy),
        )
        .map((scope) => [scope.strategy ?? "", scope]),
    ),
    widenBy: ladder.widenBy,
    mids: new Map(),
    unmeasured: undefined,
    isUnmeasuredNoted: false,
    forgivenDrift: new Map(),
    isDue: false,
    nextMs: 0,
  };
}

/** The part of the kernel that has the risk state. */
interface HasRisk {
  readonly risk: RiskState | undefined;
}

interface HasName {
  readonly runner: { readonly name: string };
}

/** The harder of a strategy's own step and the bot's; undefined while both are normal. */
export function standingOf({ risk }: HasRisk, { runner }: HasName): Standing | undefined {
  if (risk === undefined) return undefined;
  const bot = risk.bot.ladder.standing;
  const own = risk.byStrategy.get(runner.name)?.ladder.standing ?? bot;
  const standing = harderStep(bot.step, own.step) === bot.step ? bot : own;
  return standing.step === "normal" ? undefined : standing;
}

/** What the ladder, or an old price source, does to quotes that may be placed. */
export type QuoteMode = "free" | "widen" | "reduceOnly";

/** Why the ladder pulls a strategy's quotes; undefined when it does not. */
export function riskPullReason(state: HasRisk, slot: HasName): string | undefined {
  const standing = standingOf(state, slot);
  if (standing === undefined || !isAtLeast(standing.step, "pause")) return undefined;
  return `${standing.step === "halt" ? "halted" : "paused"} by risk: ${standing.text}`;
}

/** Why no strategy may quote although the ladder has reached no step; undefined when none is held back. */
export function unmeasuredReason({
  risk,
  nowMs,
}: HasRisk & { readonly nowMs: number }): string | undefined {
  const { sinceMs, reason } = risk?.unmeasured ?? { sinceMs: nowMs, reason: undefined };
  return nowMs - sinceMs >= MIDS_MAX_MS ? reason : undefined;
}

/** Whether the ladder has halted a strategy: no order of it may be open. */
export function isHaltedByRisk(state: HasRisk, slot: HasName): boolean {
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
