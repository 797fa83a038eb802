import type { BookSnapshot, DepthEvent, Trade } from "../../domain/depth.ts";
import type { MarketId } from "../../domain/ids.ts";
import type { UnixMs } from "../../domain/time.ts";

/** An event of a recorded market with the time it was received; oldest first. */
export type RecordedMarketEvent =
  | {
      readonly type: "depth";
      readonly atMs: UnixMs;
      readonly event: Pick<DepthEvent, "bids" | "asks">;
    }
  | {
      readonly type: "book";
      readonly atMs: UnixMs;
      readonly snapshot: Pick<BookSnapshot, "bids" | "asks">;
    }
  | {
      readonly type: "trade";
      readonly atMs: UnixMs;
      readonly trade: Pick<Trade, "price" | "quantity" | "isBuyerMaker">;
    };

/** A recorded market for the replay flow. The caller that reads the recording passes it to the venue. */
export interface RecordedMarket {
  /** The venue's market that it is played into. */
  readonly marketId: MarketId;
  readonly events: readonly RecordedMarketEvent[];
}
