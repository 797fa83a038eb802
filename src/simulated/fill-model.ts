import type { MarketId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { MarketEvent } from "../recordings/market-event.ts";

/** One market's recorded or live data at the simulated exchange. */
export interface MarketFlow {
  /** Takes in what happened, and fills own orders by it. */
  play(event: MarketEvent, nowMs: UnixMs): void;
  /** Levels and trades left out since no order could have their price or quantity. */
  readonly ignored: number;
}

/** Decides which of the bot's orders the market's data fills, and when. */
export interface FillModel {
  open(exchange: Exchange, marketId: MarketId): MarketFlow;
}

/**
 * Two accounts with funds play the recorded levels and trades, and own orders trade with them by price and time (D35): an order
 * waits behind the quantity that was at its price when it came, and a recorded price that crosses it fills it.
 */
export const priceTimeFills: FillModel = {
  open(exchange, marketId) {
    const flow = exchange.recordedFlow(marketId);
    return {
      play(event, nowMs) {
        if (event.type === "trade") flow.trade(event.trade, nowMs);
        else if (event.type === "depth") flow.depth(event.event.bids, event.event.asks, nowMs);
        else flow.snapshot(event.snapshot.bids, event.snapshot.asks, nowMs);
      },
      get ignored() {
        return flow.ignored;
      },
    };
  },
};
