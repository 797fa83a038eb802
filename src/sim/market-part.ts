import type { MarketId } from "../domain/ids.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Note } from "../kernel/note.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import type { Oracle } from "./oracle.ts";
import type { SeenTransaction } from "./seen-transaction.ts";

/** A step without the effects and notes that name another market. */
export function entryOf(marketId: MarketId, entry: ObservedEntry): ObservedEntry {
  const isHere = (named: MarketId | undefined): boolean =>
    named === undefined || named === marketId;
  return {
    ...entry,
    effects: entry.effects.filter((effect) => isHere(marketOfEffect(effect))),
    notes: entry.notes.filter((note) => isHere(marketOfNote(note))),
  };
}

/** The market of a command, as the venue knows it; undefined when it names an order that the venue does not know. */
export function marketOfCommand(
  { command }: SeenTransaction,
  { exchange }: Pick<Oracle, "exchange">,
): MarketId | undefined {
  if ("marketId" in command) return command.marketId;
  return "orderId" in command ? exchange.order(command.orderId)?.marketId : undefined;
}

function marketOfEffect(effect: Effect): MarketId | undefined {
  return "marketId" in effect ? effect.marketId : undefined;
}

function marketOfNote(note: Note): MarketId | undefined {
  if (note.type === "fill") return note.fill.marketId;
  if (note.type === "order") return note.order.marketId;
  return "marketId" in note ? note.marketId : undefined;
}
