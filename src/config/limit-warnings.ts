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
