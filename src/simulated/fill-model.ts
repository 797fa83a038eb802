import type { MarketId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { MarketEvent } from "../recordings/market-event.ts";

/** Plays one market's recorded or live data into the simulated exchange. */
export interface MarketFlow {
  /** Applies an event, and fills the own orders that it meets. */
  play(event: MarketEvent, nowMs: UnixMs): void;
  /** Number of levels and trades that were ignored because no order can have their price or quantity. */
  readonly ignored: number;
}

/** Decides which of the bot's orders are filled by market data, and when. */
export interface FillModel {
  open(exchange: Exchange, marketId: MarketId): MarketFlow;
}

/**
 * Fills by price-time priority (D35). Two funded accounts play the recorded levels and trades, and own orders trade with them. An
 * order queues behind the quantity that was at its price when it arrived, and a recorded price that crosses it fills it.
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
