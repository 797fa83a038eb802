import type { BookSnapshot, DepthEvent, Trade } from "../../domain/depth.ts";
import type { MarketId } from "../../domain/ids.ts";
import type { UnixMs } from "../../domain/time.ts";

/** What happened in a recorded market, at the time of its receipt, oldest first. */
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

/** A market of a recording, as the replay flow needs it. Who reads recordings gives it to the venue. */
export interface RecordedMarket {
  /** The venue's market it is played into. */
  readonly marketId: MarketId;
  readonly events: readonly RecordedMarketEvent[];
}
