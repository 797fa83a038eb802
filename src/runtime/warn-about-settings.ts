import { fixedToNumber } from "../domain/fixed.ts";
import type { KernelConfig } from "../kernel/config.ts";
import { marketOf } from "../kernel/state.ts";
import type { Log } from "../ports/log.ts";
import { reviewOf } from "../strategy/review.ts";

/** Logs the warnings of each strategy's `review` of its parameters, at its market's fees. */
export function warnAboutSettings(
  config: Pick<KernelConfig, "strategies" | "markets">,
  log: Log,
): void {
  for (const { name, definition, params, marketId } of config.strategies) {
    const market = marketOf(config, marketId);
    const fees = {
      makerFee: fixedToNumber(market.makerFee),
      takerFee: fixedToNumber(market.takerFee),
    };
    for (const warning of reviewOf(definition, { params, ...fees })) {
      log.warn({ strategy: name }, warning);
    }
  }
}
