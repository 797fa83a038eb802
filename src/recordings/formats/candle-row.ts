import type { MarketId } from "../../domain/ids.ts";
import { parseDurationMs } from "../../domain/setting.ts";
import { unixMs } from "../../domain/time.ts";
import type { RecordedCandle } from "../recorded-event.ts";
import { brokenLine, type Place } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

/** Lengths of candles by the names that files use, in milliseconds. */
const namedMs: ReadonlyMap<string, number> = new Map([
  ["second", 1000],
  ["minute", 60_000],
  ["hour", 3_600_000],
  ["daily", 86_400_000],
]);

/** The length that a file name states, such as `minute` or `5m`; undefined for other text. */
export function candleLengthMs(text: string): number | undefined {
  return namedMs.get(text) ?? (/^\d{1,4}[smhd]$/.test(text) ? parseDurationMs(text) : undefined);
}

/** The prices and the volume of a row. */
export type CandleTexts = Pick<RecordedCandle, "open" | "high" | "low" | "close" | "volume">;

export function recordedCandle(
  marketId: MarketId,
  openMs: number,
  lengthMs: number,
  texts: CandleTexts,
): RecordedCandle {
  const atUs = (openMs + lengthMs) * 1000;
  return { type: "candle", atUs, marketId, timeMs: unixMs(openMs), ...texts };
}

/** A time in milliseconds. Throws TouchlineError `IMPORT_BROKEN`. */
export function openTimeMs(text: string, place: Place): number {
  const us = stampUs(text);
  if (us !== undefined) return Math.floor(us / 1000);
  throw brokenLine(place, `"${text}" is neither a Unix time nor a date`);
}
