import { marketIdsOf } from "../domain/market-roles.ts";
import { midOf } from "../domain/depth.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import { rulesOf } from "../domain/rules-of.ts";
import type { KernelConfig, StrategyBinding } from "../kernel/config.ts";
import { marketOf } from "../kernel/market-state.ts";
import { percentText } from "../domain/setting.ts";
import type { Log } from "../ports/log.ts";
import { defaultRisk, limitsFor, type RiskLimits } from "../risk/settings.ts";
import { reviewOf } from "../strategy/review.ts";
import type { Observers } from "./observers.ts";

type Reviewed = Pick<KernelConfig, "strategies" | "markets" | "risk">;

/** The warnings of a strategy's `review` of its parameters, at its market's fees, and at its tick and smallest order at `mid`. */
export function reviewAt(
  { definition, params, marketId }: Pick<StrategyBinding, "definition" | "params" | "marketId">,
  market: Market,
  risk: RiskLimits,
  mid?: number,
): readonly string[] {
  const rules = rulesOf(market);
  return reviewOf(
    definition,
    {
      params,
      makerFee: fixedToNumber(market.makerFee),
      takerFee: fixedToNumber(market.takerFee),
      priceCollar: limitsFor(risk, marketId).priceCollar,
      ...(mid === undefined ? {} : { tick: rules.tickAt(mid) / mid }),
    },
    mid === undefined ? undefined : { size: rules.minSizeAt(mid), mid },
  );
}

/** Logs the warnings of each strategy's `review`, and when its market has a book those that the tick adds. */
export function warnAboutSettings(
  config: Reviewed,
  log: Log,
  observers: Pick<Observers, "on">,
): void {
  const said = new Set<string>();
  const warn = (binding: StrategyBinding, mid?: number): void => {
    const { name: strategy, marketId } = binding;
    for (const warning of reviewAt(binding, marketOf(config, marketId), config.risk, mid)) {
      if (said.has(`${strategy} ${warning}`)) continue;
      said.add(`${strategy} ${warning}`);
      log.warn({ strategy }, warning);
    }
  };
  for (const binding of config.strategies) warn(binding);
  const waiting = new Set(config.strategies);
  const stop = observers.on(({ batch }) => {
    for (const input of batch.inputs) {
      if (input.type !== "book") continue;
      const mid = midOf(input.snapshot);
      for (const binding of waiting) {
        if (mid === undefined || binding.marketId !== input.snapshot.marketId) continue;
        waiting.delete(binding);
        warn(binding, mid);
      }
      if (waiting.size === 0) stop();
    }
  });
}

/** Logs the price collar where it is the default one. The kernel derives and logs the other limits that a configuration leaves unset. */
export function showPriceCollar(
  { limitsToDerive, strategies, risk }: KernelConfig,
  log: Log,
): void {
  if (limitsToDerive === undefined) return;
  for (const marketId of marketIdsOf(strategies)) {
    const { priceCollar } = limitsFor(risk, marketId);
    if (priceCollar === null || priceCollar !== defaultRisk.priceCollar) continue;
    const fields = {
      code: "LIMIT_DEFAULT",
      limit: "priceCollar",
      of: marketId,
      value: priceCollar,
    };
    const message = `an order in ${marketId} is priced within ${percentText(priceCollar)} of the mid, the default; to raise it set risk.priceCollar, or null for no limit`;
    log.info(fields, message);
  }
}
