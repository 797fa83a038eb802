import { TouchlineError } from "../base/error.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import { gridRules } from "../domain/grid-rules.ts";
import type { FixedRulesSpec, MarketRulesSpec } from "../domain/market-rules.ts";
import type { RecordingMarket } from "../recordings/manifest.ts";

/**
 * The price and size rules for own orders in a replayed market. `venue`: the grid of §4.5. `native`: the recording's tick and
 * lot. `auto`: native if the recording states them and its prices do not fit the venue's grid; this adds to `warnings`.
 * Throws TouchlineError `NATIVE_GRID_UNKNOWN`.
 */
export function replayRules(
  priceGrid: BotConfig["priceGrid"],
  recorded: RecordingMarket,
  warnings: string[],
): MarketRulesSpec {
  if (priceGrid === "venue" || recorded.grid === "venue") return gridRules.spec;
  const { rules, marketId } = recorded;
  if (priceGrid === "native") {
    if (rules !== undefined) return fixedSpec(rules);
    throw new TouchlineError(
      "NATIVE_GRID_UNKNOWN",
      `The recording does not state the tick and lot of ${marketId}.`,
      {
        hint: 'Import it again with this version, or add rules to the market in its manifest.json, such as { "tick": "0.01", "lot": "0.0001", "source": "stated", "fitsVenueGrid": false }.',
      },
    );
  }
  if (rules === undefined || rules.fitsVenueGrid) return gridRules.spec;
  warnings.push(
    `own orders in ${marketId} follow the recording's tick ${rules.tick} and lot ${rules.lot} (${rules.source}), because its prices do not fit the venue's grid. Set priceGrid: venue to use the venue's grid.`,
  );
  return fixedSpec(rules);
}

function fixedSpec({ tick, lot, minSize }: Omit<FixedRulesSpec, "type">): FixedRulesSpec {
  return { type: "fixed", tick, lot, ...(minSize === undefined ? {} : { minSize }) };
}
