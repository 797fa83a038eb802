import { percentText } from "../domain/setting.ts";
import type { BotConfig } from "./load-bot-config.ts";

/** From here on a price collar holds nothing, and is most often a number of percent without its sign. */
const WIDE_COLLAR = 1;

/** Which of the limits in `risk:` hold nothing, although they look as if they did. */
export function limitWarnings({
  risk,
  strategies,
}: Pick<BotConfig, "risk" | "strategies">): readonly string[] {
  const traded = new Set<string>(strategies.map(({ marketId }) => marketId));
  const markets = Object.entries(risk.markets);
  const idle = markets.filter(([id]) => !traded.has(id));
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
