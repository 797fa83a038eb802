import type { MarketId } from "../domain/ids.ts";
import { type UnixMs, unixMs } from "../domain/time.ts";
import type { ReportDefect } from "./defect.ts";
import { recordedNumber } from "./market-reader.ts";
import type { RecordedCandle } from "./recorded-event.ts";

/** What traded from `openMs` up to `closeMs`, that moment excluded. */
export interface Candle {
  readonly marketId: MarketId;
  readonly openMs: UnixMs;
  readonly closeMs: UnixMs;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Base token. */
  readonly volume: number;
}

/** A whole candle, known at its end. */
export interface CandleEvent {
  readonly type: "candle";
  readonly atMs: UnixMs;
  readonly candle: Candle;
}

/** The first price of a candle, known at its beginning. */
export interface CandleOpen {
  readonly type: "open";
  readonly atMs: UnixMs;
  readonly marketId: MarketId;
  readonly price: number;
  /** Of the whole candle, which bounds what fills at its open. */
  readonly volume: number;
}

/** The moments of a candle: its first price when it begins, and all of it when it ends. */
export function momentsOf(event: CandleEvent): readonly [CandleOpen, CandleEvent] {
  const { marketId, openMs, open, volume } = event.candle;
  return [{ type: "open", atMs: openMs, marketId, price: open, volume }, event];
}

/** Converts one market's candles into numbers and leaves out impossible ones. */
export class CandleReader {
  readonly #report: ReportDefect;
  #lastCloseMs = 0;

  constructor(report: ReportDefect = () => undefined) {
    this.#report = report;
  }

  /** The candle as numbers; undefined when it is left out. */
  take(recorded: RecordedCandle): CandleEvent | undefined {
    const { marketId, timeMs: openMs, volume } = recorded;
    const closeMs = unixMs(recorded.atUs / 1000);
    if (!(openMs > 0) || !(openMs < closeMs) || openMs < this.#lastCloseMs) {
      const detail = `the candle of ${openMs} does not begin after the one before it has ended`;
      this.#report({ what: "badTimes", detail, event: recorded });
      return undefined;
    }
    const [open, high, low, close] = [
      recordedNumber(recorded.open),
      recordedNumber(recorded.high),
      recordedNumber(recorded.low),
      recordedNumber(recorded.close),
    ];
    const isRange = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close);
    const traded = recordedNumber(volume);
    if (!isRange || !(traded >= 0)) {
      const prices = [recorded.open, recorded.high, recorded.low, recorded.close].join(", ");
      const detail = `candle with open, high, low, close ${prices} × ${volume}`;
      this.#report({ what: "badPrices", detail, event: recorded });
      return undefined;
    }
    this.#lastCloseMs = closeMs;
    const candle = { marketId, openMs, closeMs, open, high, low, close, volume: traded };
    return { type: "candle", atMs: closeMs, candle };
  }
}
