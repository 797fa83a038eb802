import { fixedText } from "../domain/fixed.ts";
import type { Note } from "../kernel/note.ts";
import type { Log } from "../ports/log.ts";
import type { ObservedEntry } from "./observers.ts";

/** What people want to read of a step: fills and troubles; everything else at level debug. */
export function logEntries(log: Log, { batch, notes }: ObservedEntry): void {
  for (const note of notes) logNote(log, note, batch.seq);
}

function logNote(log: Log, note: Note, seq: number): void {
  switch (note.type) {
    case "fill": {
      const { side, price, quantity, orderId, isMaker } = note.fill;
      const { strategy } = note;
      const text = { price: fixedText(price), quantity: fixedText(quantity) };
      log.info({ seq, strategy, side, ...text, orderId, isMaker }, "fill");
      return;
    }
    case "warning":
      log.warn({ seq, code: note.code }, note.message);
      return;
    case "strategyFault":
      log.error({ seq, strategy: note.strategy }, `the strategy failed: ${note.message}`);
      return;
    case "bookState":
      log.info({ seq, marketId: note.marketId, state: note.state }, "book");
      return;
    case "bookAudit":
      return;
    case "quoteReason": {
      const { strategy, side, reason } = note;
      log.info(
        { seq, strategy, side, reason },
        reason === undefined ? "quoted again" : "not quoted",
      );
      return;
    }
    case "denied": {
      const { strategy, stop, side, price, reason } = note;
      if (stop === undefined) log.debug({ seq, strategy, side, price, reason }, "denied by risk");
      else log.warn({ seq, strategy, stop, side, price, reason }, "a stop order is not sent");
      return;
    }
    case "triggered": {
      const { strategy, role, orderId } = note;
      log.info({ seq, strategy, role, orderId }, "fired");
      return;
    }
    case "orderChanged": {
      const { strategy, orderId, status, refused, message } = note;
      const fields = { seq, strategy, orderId, status, message };
      if (refused || status === "REJECTED") log.warn(fields, "the venue did not take the order");
      else log.debug(fields, "order");
      return;
    }
    default:
      log.debug({ seq, note: note.type, strategy: note.strategy }, note.type);
  }
}
