import { TouchlineError } from "../base/error.ts";
import { restore } from "../journal/restore.ts";
import type { CarriedItem } from "../orders/carried.ts";
import { createStore } from "../platform/store.ts";

/** Ids of the newest trades that were booked by hand. */
export function bookedIn(carried: readonly CarriedItem[]): readonly string[] {
  return carried.find((item) => item.type === "booked")?.tradeIds ?? [];
}

/** Throws `TRADE_BOOKED` when the journal has a trade with this id that was booked by hand; an empty id names none. */
export function refuseBooked(folder: string, tradeId: string): void {
  if (!bookedIn(restore(createStore(), folder).restored.carried).includes(tradeId)) return;
  throw new TouchlineError("TRADE_BOOKED", `The trade ${tradeId} is already booked.`, {
    hint: "`touchline trades` lists what is booked. Another trade needs an id of its own.",
  });
}
