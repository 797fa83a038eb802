import { TouchlineError } from "../base/error.ts";
import type { CarriedItem } from "../orders/carried.ts";

/** Ids of the newest trades that were booked by hand. */
export function bookedIn(carried: readonly CarriedItem[]): readonly string[] {
  return carried.find((item) => item.type === "booked")?.tradeIds ?? [];
}

/** Throws `TRADE_BOOKED` when a trade with this id was booked by hand; an empty id names none. */
export function refuseBooked(carried: readonly CarriedItem[], tradeId: string): void {
  if (!bookedIn(carried).includes(tradeId)) return;
  throw new TouchlineError("TRADE_BOOKED", `The trade ${tradeId} is already booked.`, {
    hint: "`touchline trades` lists what is booked. Another trade needs an id of its own.",
  });
}
