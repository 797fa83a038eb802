import { getOrMake } from "../base/get-or-make.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import { marketIdsOf } from "../domain/market-roles.ts";
import { percentText } from "../domain/setting.ts";
import { mayBeSameMarket, withMarketIds } from "../domain/market-of-ticker.ts";
import type { BotConfig } from "./load-bot-config.ts";

/** From here on a price collar holds nothing, and is most often a number of percent without its sign. */
const WIDE_COLLAR = 1;

/**
 * Which of the limits in `risk:` hold nothing, although they look as if they did. Without the venue's list an id and a ticker may be the
 * same market.
 */
export function limitWarnings(
  config: Pick<BotConfig, "risk" | "strategies">,
  listed?: Parameters<typeof withMarketIds>[1],
): readonly string[] {
  const { risk, strategies } = listed === undefined ? config : withMarketIds(config, listed);
  const isSame = listed === undefined ? mayBeSameMarket : Object.is;
  const traded = new Set<string>(marketIdsOf(strategies));
  const markets = Object.entries(risk.markets);
  const idle = markets.filter(([id]) => ![...traded].some((one) => isSame(id, one)));
  const collars = [
    ["risk", risk.priceCollar] as const,
    ...markets.map(([id, own]) => [`risk.markets.${id}`, own.priceCollar] as const),
  ];
  return [
    ...budgetWarnings(strategies),
    ...idle.map(
      ([id]) =>
        `risk.markets.${id}: no strategy trades in this market, so its limits hold nothing; the traded ones are ${[...traded].join(", ")}.`,
    ),
    ...collars.flatMap(([path, collar]) =>
      typeof collar === "number" && collar >= WIDE_COLLAR
        ? [
            `${path}.priceCollar is ${percentText(collar)} of the mid, so nearly every price passes: ${percentText(collar / 100)} is written with its sign.`,
          ]
        : [],
    ),
  ];
}

/** Tokens of which the shares of several budgets are more than the account has. */
function budgetWarnings(strategies: BotConfig["strategies"]): string[] {
  const sums = new Map<string, { share: number; names: string[] }>();
  for (const { name, marketId, budget } of strategies) {
    // An id or a ticker.
    const [base = "", quote = ""] = marketId.split(/[_/]/);
    for (const [token, part] of [
      [base, budget?.base],
      [quote, budget?.quote],
    ] as const) {
      if (part === undefined || !("share" in part)) continue;
      const sum = getOrMake(sums, token, () => ({ share: 0, names: [] as string[] }));
      sum.share += fixedToNumber(part.share);
      sum.names.push(name);
    }
  }
  return [...sums].flatMap(([token, { share, names }]) =>
    share > 1 + 1e-9
      ? [
          `The budgets of ${names.join(" and ")} are ${percentText(share)} of token ${token} together, more than the account has: the one that comes first uses what the other counts on.`,
        ]
      : [],
  );
}
