import type { BotConfig } from "../config/load-bot-config.ts";
import { percentText } from "../domain/setting.ts";
import type { Market } from "../domain/market.ts";
import { candlesHaveNoBook } from "../recordings/manifest.ts";
import { constantDelays } from "../simulated/latency-model.ts";
import { type VenueModels, venueModels } from "../simulated/venue-models.ts";

/** Keys that mean something only where a book or times within a candle are known. */
const ofBooks: readonly string[] = [
  "models.fills.queue",
  "models.fills.exponent",
  "models.fills.partialFills",
  "models.latency.entry",
  "models.latency.response",
  "models.latency.feed",
];

/**
 * The models of a replay of candles, without latency: an order that the end of a candle causes is there when the next one begins. Adds to
 * `warnings` what candles do not tell. Throws TouchlineError `CANDLES_HAVE_NO_BOOK` for a written key that needs a book.
 */
export function candleModels(
  { written, models, candles }: Pick<BotConfig, "written" | "models" | "candles">,
  markets: readonly Market[],
  warnings: string[],
): VenueModels {
  const refused = written.find(({ path }) => ofBooks.includes(path));
  if (refused !== undefined) {
    const { queue } = models.fills;
    const isQueue = refused.path === "models.fills.queue";
    throw candlesHaveNoBook(isQueue ? `${refused.path}: ${queue}` : refused.path);
  }
  const names = markets.map(({ marketId }) => marketId).join(", ");
  warnings.push(
    `${names}: candles do not tell the order of high and low, the queue at a price, or the spread. A resting order fills only in a candle that began after it and whose price passed it, by up to ${percentText(candles.volumeShare)} of the candle's volume; an order that takes gets the candle's open, less a half spread of ${percentText(candles.halfSpread)}; latency is not simulated.`,
  );
  // A bot that answers each response at once still moves on in time.
  const latency = constantDelays({ entry: 0, response: 1, feed: 0 });
  return venueModels({ ...models, latency, candles }, "recording");
}
