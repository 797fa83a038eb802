import type { MarketId } from "../domain/ids.ts";
import { percentText } from "../domain/setting.ts";
import { defaultRisk } from "../risk/settings.ts";
import { endpoints } from "../spec/endpoints.ts";
import { confirm } from "./confirm.ts";
import type { VenueAccess } from "./venue-access.ts";

const COLLAR = defaultRisk.priceCollar ?? 0;

/**
 * Asks before a limit order that could fill farther than a bot's default price collar from the best opposite price, or from its own stop
 * price: most often its price is in another unit. Throws a usage error when the answer is no.
 */
export async function confirmFarPrice(
  venue: VenueAccess,
  order: {
    readonly marketId: MarketId | string;
    readonly isBuy: boolean;
    readonly price: string;
    readonly stopPrice?: string | undefined;
  },
): Promise<void> {
  const { marketId, isBuy, price, stopPrice } = order;
  const book =
    stopPrice === undefined ? await venue.find(endpoints.depth, { marketId, limit: 1 }) : undefined;
  const [touch] = (isBuy ? book?.asks : book?.bids) ?? [];
  const reference = stopPrice ?? touch?.price;
  if (reference === undefined) return;
  const ratio = Number(price) / Number(reference);
  const beyond = isBuy ? ratio - 1 : 1 - ratio;
  if (beyond <= COLLAR) return;
  const name = stopPrice === undefined ? (isBuy ? "best ask" : "best bid") : "stop price";
  await confirm(
    `This ${isBuy ? "buy" : "sell"} may fill at prices ${isBuy ? "up" : "down"} to ${price}, ${percentText(Number(beyond.toFixed(4)))} beyond the ${name} ${reference}. Send it?`,
  );
}
