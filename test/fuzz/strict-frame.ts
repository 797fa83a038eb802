import { isAddress, isDecimal, isFields, isHash, shows, type Fields } from "./strict-values.ts";

/** Checks the venue's stream frames (§6.2 to §6.4) without `src/spec`. Additional fields are allowed. */

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
/** An id that a client remembers. */
const id: Check = (value) => typeof value === "string" && value.length <= 256 && shows(value);
const flag: Check = (value) => typeof value === "boolean";
const whole: Check = (value) => Number.isSafeInteger(value);
/** Counts up from 0. */
const count: Check = (value) => whole(value) && Number(value) >= 0;
/** Until the year 5138. */
const time: Check = (value) => count(value) && Number(value) <= 1e14;
const decimal: Check = (value) => isDecimal(value) && String(value).length <= 64;
/** A fee; negative for a maker rebate. */
const fee: Check = (value) => isDecimal(value, true) && String(value).length <= 64;
const token: Check = (value) => id(value) && value !== "";
export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const market: Check = (value) => {
  if (typeof value !== "string" || !id(value) || /\s/.test(value)) return false;
  const parts = value.split("_");
  return parts.length === 2 && parts.every((part) => part !== "");
};
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const level: Check = (value) => Array.isArray(value) && value.length === 2 && value.every(decimal);

const has = (value: unknown, checks: Readonly<Record<string, Check>>): value is Fields =>
  isFields(value) && Object.entries(checks).every(([name, check]) => check(value[name]));

export const side = oneOf("BUY", "SELL");
export const orderType = oneOf(
  "LIMIT",
  "MARKET",
  "TAKE_PROFIT_LIMIT",
  "TAKE_PROFIT_MARKET",
  "STOP_LOSS_LIMIT",
  "STOP_LOSS_MARKET",
);
export const status = oneOf(
  "NEW",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELED",
  "REJECTED",
  "EXPIRED",
  "PENDING_NEW",
  "PENDING_CANCEL",
);

const trade = {
  tradeId: id,
  marketId: market,
  price: decimal,
  quantity: decimal,
  buyOrderId: isHash,
  sellOrderId: isHash,
  createdAt: time,
  isBuyerMaker: flag,
};
const sides = { marketId: market, bids: listOf(level), asks: listOf(level), time };
const ticker = {
  marketId: market,
  baseTokenId: token,
  quoteTokenId: token,
  price: decimal,
  open24h: decimal,
  high24h: decimal,
  low24h: decimal,
  volume24h: decimal,
  quoteVolume24h: decimal,
};
const event = { eventTime: time, blockNumber: count, accountAddress: isAddress, txHash: isHash };
const order = {
  ...event,
  eventType: oneOf("NEW", "TRADE", "CANCEL", "TRIGGER", "REJECTED"),
  orderId: isHash,
  marketId: market,
  side,
  orderType,
  orderMode: (value: unknown) => Object.is(value, 0) || value === 1,
  origPrice: decimal,
  origQty: decimal,
  origQuoteOrderQty: decimal,
  status,
  createdAt: time,
  executedQty: decimal,
  executedQuoteQty: decimal,
  lastPrice: decimal,
  lastQty: decimal,
  fee,
  feeTokenId: (value: unknown) => value === null || token(value),
  tradeId: id,
  isMaker: flag,
};
const movement = { ...event, tokenId: token, amount: decimal };

const payloads: Readonly<Record<string, Check>> = {
  trade: (value) => has(value, trade),
  depth: (value) => has(value, { ...sides, firstId: count, finalId: count }),
  depthSnapshot: (value) => has(value, { ...sides, lastUpdateId: count }),
  ticker: (value) => Array.isArray(value) && value.every((line) => has(line, ticker)),
  userEvent: (value) => {
    if (!isFields(value)) return false;
    if (value["topic"] === "ORDER") return has(value, order);
    if (value["topic"] !== "ACCOUNT" || !has(value, movement)) return false;
    if (value["eventType"] !== "TRANSFER") {
      return value["eventType"] === "DEPOSIT" || value["eventType"] === "WITHDRAW";
    }
    return isAddress(value["fromAddress"]) && isAddress(value["toAddress"]);
  },
};

/** Whether the venue may send this text. */
export function isStrictFrame(frame: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return false;
  }
  if (!isFields(value)) return false;
  if (!("method" in value)) {
    const isOk = text(value["result"]) && whole(value["id"]);
    const isError =
      has(value["error"], { code: whole, message: text }) &&
      (value["id"] === null || whole(value["id"]));
    return isOk || isError;
  }
  const { method, params } = value;
  if (method !== "subscription" || !isFields(params)) return false;
  const { channel, result } = params;
  if (typeof channel !== "string") return false;
  const kind = channel.split("@")[0] ?? "";
  return Object.hasOwn(payloads, kind) && payloads[kind]?.(result) === true;
}
