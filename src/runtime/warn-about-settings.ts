import { fixedToNumber } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import type { Log } from "../ports/log.ts";
import { reviewOf } from "../strategy/review.ts";
import type { KernelSettings } from "./kernel-config.ts";
import { knownMarket } from "./venue-markets.ts";

/** Logs the warnings of each strategy's `review` of its parameters, at its market's fees. */
export function warnAboutSettings(
  settings: Pick<KernelSettings, "strategies">,
  markets: readonly Market[],
  log: Log,
): void {
  for (const { name, definition, params, marketId } of settings.strategies) {
    const market = knownMarket(markets, marketId);
    const fees = {
      makerFee: fixedToNumber(market.makerFee),
      takerFee: fixedToNumber(market.takerFee),
    };
    for (const warning of reviewOf(definition, { params, ...fees })) {
      log.warn({ strategy: name }, warning);
    }
  }
}
