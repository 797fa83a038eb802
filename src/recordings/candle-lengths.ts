import type { MarketId } from "../domain/ids.ts";
import { durationText } from "../domain/setting.ts";
import type { RecordedEvent } from "./recorded-event.ts";

/** The length of each market's candles. A recording has one: candles of several lengths would tell the same trades twice. */
export class CandleLengths {
  readonly #lengths = new Map<MarketId, number>();

  /** Takes an event; returns both lengths as text when it is a candle of another length than those before. */
  take(event: RecordedEvent): string | undefined {
    if (event.type !== "candle") return undefined;
    const lengthMs = event.atUs / 1000 - event.timeMs;
    const known = this.#lengths.get(event.marketId);
    if (known === undefined) this.#lengths.set(event.marketId, lengthMs);
    if (known === undefined || known === lengthMs) return undefined;
    return `${durationText(known)} and ${durationText(lengthMs)}`;
  }
}
