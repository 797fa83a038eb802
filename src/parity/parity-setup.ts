import type { ReplaySetup } from "../backtest/replay-setup.ts";
import { usedModels } from "../backtest/used-models.ts";
import type { StrategyBinding } from "../kernel/config.ts";
import { atSimulatedVenue } from "../runtime/kernel-config.ts";
import { startBalances } from "../simulated/simulated-account.ts";
import { type ModelSettings, venueModels } from "../simulated/venue-models.ts";
import type { LiveRun } from "./live-run.ts";

/** The bot of a recorded run, with its own settings, positions and balances, at a simulated venue of these models. */
export function paritySetup(
  { header, balances, carried }: LiveRun,
  strategies: readonly StrategyBinding[],
  settings: ModelSettings,
): ReplaySetup {
  const { markets } = header;
  const models = venueModels(settings, "recording");
  const warnings: string[] = [];
  return {
    kernel: atSimulatedVenue({ ...header.kernel, markets, strategies }),
    chainId: header.chainId,
    markets: markets.map((market) => ({ market, recordedId: market.marketId })),
    balances: balances.size > 0 ? balances : startBalances({}, markets, warnings),
    models,
    usedModels: usedModels(models.settings, markets),
    reportingCurrency: undefined,
    carried,
    warnings,
  };
}
