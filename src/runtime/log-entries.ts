import { channelText } from "../domain/stream-channel.ts";
import { fixedText } from "../domain/fixed.ts";
import { tokensOf } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { AccountEvent } from "../domain/order.ts";
import type { Note } from "../kernel/note.ts";
import type { Log } from "../ports/log.ts";
import type { ObservedEntry } from "./observers.ts";
import { operatorText } from "./operator-text.ts";

/**
 * Logs steps: fills, quoting, problems and what enters or leaves the account at `info` and above, everything else at `debug`. The reason why
 * a side is not quoted is logged when it changes in more than its numbers.
 */
export function entryLog(
  log: Log,
  markets: readonly Pick<Market, "marketId" | "ticker">[],
): (entry: Pick<ObservedEntry, "batch" | "notes">) => void {
  const tickers = new Map(markets.map(({ marketId, ticker }) => [marketId, ticker]));
  /** By strategy and side, without numbers. */
  const reasons = new Map<string, string | undefined>();
  const isNew = ({ strategy, marketId, side, reason, inPart }: QuoteReason): boolean => {
    const key = `${strategy} ${marketId} ${side}`;
    const kind = reason === undefined ? reason : `${inPart} ${reason.replace(/\d[\d.,]*/g, "#")}`;
    if (reasons.has(key) && reasons.get(key) === kind) return false;
    reasons.set(key, kind);
    return true;
  };
  return ({ batch: { inputs, seq }, notes }) => {
    for (const input of inputs) {
      if (input.type === "accountEvent") logMovement(log, input.event, seq);
      const operator = operatorText(input);
      if (operator !== undefined) log.info({ seq }, `operator: ${operator}`);
    }
    for (const note of notes) {
      if (note.type === "fill" || note.type === "bookedByHand")
        logFill(log, note, tickers.get(note.fill.marketId) ?? "", seq);
      else if (note.type !== "quoteReason" || isNew(note)) logNote(log, note, seq);
    }
  };
}

type QuoteReason = Extract<Note, { type: "quoteReason" }>;

const movements = { DEPOSIT: "deposit", WITHDRAW: "withdrawal", TRANSFER: "transfer" } as const;

function logMovement(log: Log, event: AccountEvent, seq: number): void {
  const { eventType, tokenId, amount, fromAddress: from, toAddress: to, txHash } = event;
  const between = from === undefined ? {} : { from, to };
  log.info({ seq, tokenId, amount: fixedText(amount), ...between, txHash }, movements[eventType]);
}

function logFill(
  log: Log,
  note: Extract<Note, { type: "fill" | "bookedByHand" }>,
  ticker: string,
  seq: number,
): void {
  const { strategy, fill, position } = note;
  const { marketId, side, price, quantity, fee, feeToken, isMaker, orderId } = fill;
  const [base, quote] = ticker.split("/");
  const text = {
    price: fixedText(price),
    quantity: fixedText(quantity),
    fee: fixedText(fee),
    feeToken: (feeToken === tokensOf(marketId).base ? base : quote) ?? feeToken,
    position: fixedText(position),
  };
  const isPlain = note.type !== "fill" || note.paramsVersion <= 1;
  const version = isPlain ? {} : { paramsVersion: note.paramsVersion };
  log.info(
    { seq, strategy, marketId, ticker, side, ...text, isMaker, orderId, ...version },
    "fill",
  );
}

function logNote(log: Log, note: Note, seq: number): void {
  switch (note.type) {
    case "params": {
      const { strategy, version } = note;
      log.info({ seq, strategy, paramsVersion: version }, "new parameters");
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
      log.error(
        { seq, strategy: note.strategy, stack: note.stack },
        `the strategy failed: ${note.message}`,
      );
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
      const { strategy, marketId, side, reason, inPart } = note;
      const text = inPart ? "quoted in part" : "not quoted";
      log.info(
        { seq, strategy, marketId, side, reason },
        reason === undefined ? "quoted again" : text,
      );
      return;
    }
    case "denied": {
      const { strategy, marketId, stop, side, price, reason } = note;
      const fields = { seq, strategy, marketId, side, price, reason };
      if (stop === undefined) log.debug(fields, "denied by risk");
      else log.warn({ ...fields, stop }, "a stop order was denied by risk");
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
