import { TouchlineError } from "../base/error.ts";
import { BY_HAND } from "../domain/order.ts";
import { OwnFills } from "../journal/own-fills.ts";
import { entriesOfRun } from "../journal/segments.ts";
import { openJournal } from "./journal-run.ts";

/** Throws `TRADE_BOOKED` when the journal has a trade with this id that was booked by hand; an empty id names none. */
export async function refuseBooked(folder: string, tradeId: string): Promise<void> {
  if (tradeId === "") return;
  const { store, runs } = await openJournal(folder);
  for (const run of runs) {
    const own = new OwnFills();
    for (const entry of entriesOfRun(store, run)) {
      const isBooked = own
        .apply(entry)
        .some(({ fill }) => fill.orderId === BY_HAND && fill.tradeId === tradeId);
      if (isBooked) {
        throw new TouchlineError("TRADE_BOOKED", `The trade ${tradeId} is already booked.`, {
          hint: "`touchline trades` lists what is booked. Another trade needs an id of its own.",
        });
      }
    }
  }
}
