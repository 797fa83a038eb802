import { channelText } from "../domain/stream-channel.ts";
import { fixedText } from "../domain/fixed.ts";
import type { Note } from "../kernel/note.ts";
import type { Log } from "../ports/log.ts";
import type { ObservedEntry } from "./observers.ts";

/** Logs a step's notes: fills, quoting and problems at `info` and above, everything else at `debug`. */
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
    case "balanceDrift": {
      const { code, tokenId, afterBlock, untilBlock, transactions } = note;
      const amounts = { amount: fixedText(note.amount), total: fixedText(note.total) };
      const fields = { seq, code, tokenId, ...amounts, afterBlock, untilBlock, transactions };
      log.warn(fields, note.message);
      return;
    }
    case "doubt": {
      const { code, marketId, count, message } = note;
      log.warn({ seq, code, marketId, count }, message);
      return;
    }
    case "warning":
      log.warn({ seq, code: note.code }, note.message);
      return;
    case "limit": {
      const { code, limit, of, value, message } = note;
      log.info({ seq, code, limit, of, value: fixedText(value) }, message);
      return;
    }
    case "risk": {
      const { of: strategy, trigger, step, code, message } = note;
      const fields = { seq, code, ...(strategy === undefined ? {} : { strategy }), trigger, step };
      if (step === "normal") log.info(fields, message);
      else log.warn(fields, message);
      return;
    }
    case "strategyFault":
      log.error({ seq, strategy: note.strategy }, `the strategy failed: ${note.message}`);
      return;
    case "bookState":
      log.info({ seq, marketId: note.marketId, state: note.state }, "book");
      return;
    case "bookAudit":
    case "ownTrade":
      return;
    case "channel": {
      const { channel, sinceMs, reason } = note;
      const fields = { seq, ...channel, sinceMs };
      const name = channelText(channel);
      if (note.state === "live") log.info(fields, `the ${name} delivers again`);
      else log.warn(fields, `the ${name} is behind: ${reason}`);
      return;
    }
    case "guard":
      if (note.isConnected) log.info({ seq }, "a guard is connected");
      else log.warn({ seq }, "no guard is connected any more");
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
      else
        log.warn({ seq, strategy, stop, side, price, reason }, "a stop order was denied by risk");
      return;
    }
    case "order":
      logOrder(log, note, seq);
      return;
    default:
      log.debug("strategy" in note ? { seq, strategy: note.strategy } : { seq }, note.type);
  }
}

function logOrder(
  log: Log,
  { strategy, order, before }: Extract<Note, { type: "order" }>,
  seq: number,
): void {
  const { orderId, role, status, reason } = order;
  if (order.isTriggered && before?.isTriggered !== true) {
    log.info({ seq, strategy, role, orderId }, "triggered");
  }
  if (order.isRejected && before?.isRejected !== true) {
    const fields = { seq, strategy, orderId, status, message: reason };
    log.warn(fields, "the venue rejected the order");
  } else {
    log.debug({ seq, strategy, orderId, role, status, reason }, `order ${order.state}`);
  }
}
