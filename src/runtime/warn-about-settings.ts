import { fixedToNumber } from "../domain/fixed.ts";
import type { KernelConfig } from "../kernel/config.ts";
import { marketOf } from "../kernel/state.ts";
import { percentText } from "../domain/setting.ts";
import type { Log } from "../ports/log.ts";
import { defaultRisk, limitsFor } from "../risk/settings.ts";
import { reviewOf } from "../strategy/review.ts";

/** Logs the warnings of each strategy's `review` of its parameters, at its market's fees. */
export function warnAboutSettings(
  config: Pick<KernelConfig, "strategies" | "markets" | "risk">,
  log: Log,
): void {
  for (const { name, definition, params, marketId } of config.strategies) {
    const market = marketOf(config, marketId);
    const fees = {
      makerFee: fixedToNumber(market.makerFee),
      takerFee: fixedToNumber(market.takerFee),
    };
    const { priceCollar } = limitsFor(config.risk, marketId);
    for (const warning of reviewOf(definition, { params, ...fees, priceCollar })) {
      log.warn({ strategy: name }, warning);
    }
  }
}

/** Logs the price collar where it is the default one. The kernel derives and logs the other limits that a configuration leaves unset. */
export function showPriceCollar(
  { limitsToDerive, strategies, risk }: KernelConfig,
  log: Log,
): void {
  if (limitsToDerive === undefined) return;
  for (const marketId of new Set(strategies.map((one) => one.marketId))) {
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
