import { TouchlineError } from "../base/error.ts";
import { fixed, ZERO } from "../domain/fixed.ts";
import { BY_HAND } from "../domain/order.ts";
import { OwnFills } from "../journal/own-fills.ts";
import { carriedKey } from "../orders/carried.ts";
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

/** Those of the positions that the journal does not have from this export, or that were reset since. Throws `EXPORT_IMPORTED` when there is none. */
export async function notImported<Position extends { readonly marketId: string }>(
  folder: string,
  digest: string,
  positions: readonly Position[],
): Promise<readonly Position[]> {
  const { store, runs } = await openJournal(folder);
  const held = new Map<string, string>();
  for (const run of runs) {
    for (const entry of entriesOfRun(store, run)) {
      const { items = [], imported } = entry.type === "adjusted" ? entry.adjusted : {};
      for (const item of items) {
        if (item.type !== "position") continue;
        if (imported === digest) held.set(carriedKey(item), item.marketId);
        else if (fixed(item.quote) === ZERO) held.delete(carriedKey(item));
      }
    }
  }
  const taken = new Set(held.values());
  const left = positions.filter(({ marketId }) => !taken.has(marketId));
  if (left.length > 0) return left;
  throw new TouchlineError("EXPORT_IMPORTED", "This export is already imported.", {
    hint: "Its PnL and fees would count twice. `touchline position reset` clears what was imported.",
  });
}
