import type { MarketId } from "../../domain/ids.ts";
import type { Side } from "../../domain/side.ts";

/** An order's market, side and price; 0 for a market order. */
interface Placed {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: number;
}

/** Whether a take would meet an order that rests on the other side of its market. */
export function reaches(take: Placed, { marketId, side, price }: Placed): boolean {
  if (take.marketId !== marketId || take.side === side) return false;
  if (take.price === 0) return true;
  return take.side === "BUY" ? price <= take.price : price >= take.price;
}
