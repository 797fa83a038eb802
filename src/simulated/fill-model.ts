import { assert } from "../base/assert.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { QueueModel } from "../exchange/queue-model.ts";
import type { DepthLevels } from "../exchange/recorded-side.ts";
import type { PlayedEvent } from "../recordings/recorded-gaps.ts";

/** Plays one market's recorded or live data into the simulated exchange. */
export interface MarketFlow {
  /** Applies an event, and fills the own orders that it meets. */
  play(event: PlayedEvent, nowMs: UnixMs): void;
  /** Number of levels and trades that were ignored because no order can have their price or quantity. */
  readonly ignored: number;
  /** The market's levels of a side as recorded. */
  depthLevels(side: Side): DepthLevels;
}

/** Decides which of the bot's orders are filled by market data, and when. */
export interface FillModel {
  open(exchange: Exchange, marketId: MarketId): MarketFlow;
}

/** Fills by a model of the queue at each price; see `QueueModel`. */
export function queueFills(queue: QueueModel): FillModel {
  return {
    open(exchange, marketId) {
      const recorded = exchange.recordedLiquidity(marketId, queue);
      return {
        play(event, nowMs) {
          if (event.type === "trade") recorded.trade(event.trade, nowMs);
          else if (event.type === "depth")
            recorded.depth(event.event.bids, event.event.asks, nowMs);
          else if (event.type === "book")
            recorded.snapshot(event.snapshot.bids, event.snapshot.asks, nowMs);
          else assert(false, "a queue model plays books and trades");
        },
        get ignored() {
          return recorded.ignored;
        },
        depthLevels: (side) => recorded.depthLevels(side),
      };
    },
  };
}
