import type { Recording } from "./recording.ts";
import type { Steps } from "./steps.ts";
import { isOffBook } from "./market-reader.ts";

/** Contents of one market's part of a recording, as received. */
export interface MarketInfo {
  readonly market: string;
  readonly symbol: string;
  readonly grid: "native" | "venue";
  readonly makerFee: string | null;
  readonly takerFee: string | null;
  /** Steps of prices and quantities, if known. */
  readonly tick: string | null;
  readonly lot: string | null;
  /** First and last time of receipt, in ms; null when there are no events. */
  readonly from: number | null;
  readonly to: number | null;
  readonly depthEvents: number;
  readonly trades: number;
  readonly candles: number;
  readonly books: number;
  /** How often the recorder lost the stream. */
  readonly interruptions: number;
}

/** Counts the events of a recording without replaying it. */
export function* recordingInfo(recording: Recording): Steps<readonly MarketInfo[]> {
  const infos = recording.manifest.markets.map((market) => ({
    market: market.marketId,
    symbol: market.symbol,
    grid: market.grid,
    makerFee: market.makerFee ?? null,
    takerFee: market.takerFee ?? null,
    tick: market.rules?.tick ?? null,
    lot: market.rules?.lot ?? null,
    from: null as number | null,
    to: null as number | null,
    depthEvents: 0,
    trades: 0,
    candles: 0,
    books: 0,
    interruptions: 0,
  }));
  const byMarket = new Map(infos.map((info) => [info.market, info]));
  yield* recording.inSteps(({ event }) => {
    const info = byMarket.get(event.marketId);
    if (info === undefined || isOffBook(event)) return;
    info.from ??= event.atUs / 1000;
    info.to = event.atUs / 1000;
    if (event.type === "depth") info.depthEvents += 1;
    else if (event.type === "trade") info.trades += 1;
    else if (event.type === "candle") info.candles += 1;
    else if (event.type === "book") info.books += 1;
    else if (event.state === "closed") info.interruptions += 1;
  });
  return infos;
}
