import {
  type CurrencySettings,
  currencyOf,
  pairsOf,
  unconvertible,
} from "../domain/reporting-currency.ts";
import type { TradesIn } from "../domain/market-roles.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import { triggerNames, triggers } from "../risk/triggers.ts";
import type { ConfigPath } from "./problem.ts";

/** The settings that count in a currency to which the strategies' markets do not lead. The markets have ids. */
export function currencyMistakes(
  settings: Omit<Settings, "strategies"> & {
    readonly strategies: readonly (TradesIn & { readonly triggers?: TriggerValues | undefined })[];
  },
): readonly Mistake[] {
  return [
    ...botMistakes(settings),
    ...settings.strategies.flatMap((one, index) => {
      const markets = pairsOf([one]);
      const [own] = markets;
      const missing = own === undefined ? [] : unconvertible(own.quoteToken, markets);
      if (missing.length === 0) return [];
      const message = `adds up amounts of quote tokens, and no market of the strategy converts ${missing.join(", ")} to ${own?.quoteToken}: set it for the bot, in risk.triggers`;
      return amountTriggers(["strategies", index, "risk"], one.triggers ?? {}, message);
    }),
  ];
}

type Settings = CurrencySettings & { readonly risk: { readonly triggers: TriggerValues } };

interface Mistake {
  readonly path: ConfigPath;
  readonly message: string;
}

function botMistakes(settings: Settings): readonly Mistake[] {
  const markets = pairsOf(settings.strategies);
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
  return amountTriggers(["risk"], settings.risk.triggers, message);
}

/** The triggers that count amounts, with what is wrong about them. */
function amountTriggers(
  path: ConfigPath,
  values: TriggerValues,
  message: string,
): readonly Mistake[] {
  return triggerNames
    .filter((name) => values[name] !== undefined && triggers[name].unit === "quote")
    .map((name) => ({ path: [...path, "triggers", name], message }));
}
