import {
  type CurrencySettings,
  currencyOf,
  pairOf,
  unconvertible,
} from "../domain/reporting-currency.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import { triggerNames, triggers } from "../risk/triggers.ts";
import type { ConfigPath } from "./problem.ts";

/** The settings that count in a currency to which the strategies' markets do not lead. The markets have ids. */
export function currencyMistakes(
  settings: CurrencySettings & { readonly risk: { readonly triggers: TriggerValues } },
): readonly { readonly path: ConfigPath; readonly message: string }[] {
  const markets = settings.strategies.map(pairOf);
  const currency = currencyOf(settings);
  if (markets.length === 0) return [];
  if (currency !== undefined) {
    const missing = unconvertible(currency, markets);
    if (missing.length === 0) return [];
    const message = `no market of the strategies converts ${missing.join(", ")} to ${currency}: name a token that they lead to, or leave it out`;
    return [{ path: ["reportingCurrency"], message }];
  }
  const tokens = new Set(markets.map(({ quoteToken }) => quoteToken));
  const message = `adds up amounts of quote tokens that no market of the strategies converts (${[...tokens].join(", ")}): set it for each strategy, in strategies[].risk.triggers`;
  return triggerNames
    .filter((name) => settings.risk.triggers[name] !== undefined && triggers[name].unit === "quote")
    .map((name) => ({ path: ["risk", "triggers", name], message }));
}
