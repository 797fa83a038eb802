import fc from "fast-check";
import type { CommandOutcome } from "../../src/domain/command.ts";
import type { BookSnapshot } from "../../src/domain/depth.ts";
import type { Fixed } from "../../src/domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import {
  orderStatuses,
  orderTypes,
  type AccountEvent,
  type Fill,
  type OrderReport,
  type Transfer,
} from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input, RestoredOrder } from "../../src/kernel/input.ts";
import type { BatchEntry } from "../../src/journal/entry.ts";
import { codePoint } from "../support/code-point.ts";

/** Plain objects, as literals make them. */
function record<Shape>(
  shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> },
): fc.Arbitrary<Shape> {
  return fc.record<Shape, never>(shape, { noNullPrototype: true }) as fc.Arbitrary<Shape>;
}

/** Generators for everything that a journal may hold. A new variant of Input or Effect fails to compile in the tables below. */

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString("hex")}`);
export const orderIds = hex(32).map((text) => text as OrderId);
const addresses = hex(20).map((text) => text as Address);
const marketIds = fc.constantFrom("1_2", "3_2", "é_2").map((text) => text as MarketId);
const tokenIds = fc.constantFrom("1", "2").map((text) => text as TokenId);
export const amounts = fc
  .bigInt({ min: -(2n ** 200n), max: 2n ** 200n })
  .map((value) => value as Fixed);
const times = fc.integer({ min: 0, max: 2 ** 48 }).map(unixMs);
const sides = fc.constantFrom("BUY" as const, "SELL" as const);
const text = fc.string({ unit: codePoint, maxLength: 300 });
const wholes = fc.maxSafeInteger();
const levels = fc.array(fc.double(), { maxLength: 40 }).map((values) => Float64Array.from(values));

const snapshots: fc.Arbitrary<BookSnapshot> = record({
  marketId: marketIds,
  lastId: wholes,
  timeMs: times,
  bids: levels,
  asks: levels,
});
const reports: fc.Arbitrary<OrderReport> = record({
  orderId: orderIds,
  account: addresses,
  marketId: marketIds,
  side: sides,
  orderType: fc.constantFrom(...orderTypes),
  orderMode: fc.constantFrom(0 as const, 1 as const),
  price: amounts,
  origQty: amounts,
  origQuoteOrderQty: amounts,
  executedQty: amounts,
  executedQuoteQty: amounts,
  status: fc.constantFrom(...orderStatuses),
  createdAtMs: times,
  updatedAtMs: times,
});
const fills: fc.Arbitrary<Fill> = record({
  tradeId: text,
  orderId: orderIds,
  marketId: marketIds,
  side: sides,
  price: amounts,
  quantity: amounts,
  fee: amounts,
  feeToken: tokenIds,
  isMaker: fc.boolean(),
  timeMs: times,
});
const accountEvents: fc.Arbitrary<AccountEvent> = record({
  eventType: fc.constantFrom("DEPOSIT" as const, "WITHDRAW" as const, "TRANSFER" as const),
  account: addresses,
  tokenId: tokenIds,
  amount: amounts,
  fromAddress: fc.option(addresses, { nil: undefined }),
  toAddress: fc.option(addresses, { nil: undefined }),
  blockNumber: wholes,
  timeMs: times,
  txHash: text,
});
const transfers: fc.Arbitrary<Transfer> = record({
  tokenId: tokenIds,
  amount: amounts,
  timeMs: times,
  txHash: text,
});
const markets: fc.Arbitrary<Market> = record({
  marketId: marketIds,
  baseToken: tokenIds,
  quoteToken: tokenIds,
  ticker: text,
  makerFee: amounts,
  takerFee: amounts,
  listed: fc.boolean(),
  rules: fc.constantFrom<Market["rules"]>(
    { type: "grid" },
    { type: "fixed", tick: "0.01", lot: "0.00001" },
  ),
});
const reasons = fc.constantFrom(
  "notFound" as const,
  "nonceUsed",
  "rateLimited",
  "unauthorized",
  "forbidden",
  "invalid",
  "unavailable",
);
const outcomes: fc.Arbitrary<CommandOutcome> = fc.oneof(
  fc.constant({ type: "accepted" as const }),
  record({
    type: fc.constant("refused" as const),
    reason: reasons,
    message: text,
    retryAfterMs: fc.option(fc.double(), { nil: undefined }),
  }),
  record({ type: fc.constantFrom("not-sent" as const, "unknown" as const), message: text }),
  record({
    type: fc.constant("not-sent" as const),
    message: text,
    isHeldBack: fc.constant(true as const),
  }),
);
const restoredOrders: fc.Arbitrary<RestoredOrder> = record({
  orderId: orderIds,
  nonce: wholes,
  strategy: text,
  marketId: marketIds,
  side: sides,
  price: fc.double(),
  quantity: text,
  executed: text,
  tradeIds: fc.array(text, { maxLength: 3 }),
});

const is = <Type extends string>(type: Type) => fc.constant(type);

const channels = fc.oneof(
  record({ kind: fc.constantFrom("depth" as const, "trade" as const), marketId: marketIds }),
  record({ kind: is("userEvent") }),
);

const publicTrades = record({
  marketId: marketIds,
  tradeId: text,
  price: fc.double(),
  quantity: fc.double(),
  timeMs: times,
  isBuyerMaker: fc.boolean(),
});

type InputOf<Type extends Input["type"]> = Extract<Input, { type: Type }>;

const inputTable: { readonly [Type in Input["type"]]: fc.Arbitrary<InputOf<Type>> } = {
  depth: record({
    type: is("depth"),
    event: record({
      marketId: marketIds,
      firstId: wholes,
      finalId: wholes,
      timeMs: times,
      bids: levels,
      asks: levels,
    }),
  }),
  depthAudit: record({ type: is("depthAudit"), snapshot: snapshots }),
  book: record({ type: is("book"), snapshot: snapshots }),
  trade: record({ type: is("trade"), trade: publicTrades }),
  candles: record({
    type: is("candles"),
    marketId: marketIds,
    resolution: fc.constantFrom("1" as const, "1D" as const),
    fromMs: wholes,
    candles: fc.array(
      record({
        timeMs: times,
        open: fc.double(),
        high: fc.double(),
        low: fc.double(),
        close: fc.double(),
        volume: fc.double(),
      }),
      { maxLength: 3 },
    ),
  }),
  trades: record({
    type: is("trades"),
    marketId: marketIds,
    trades: fc.array(publicTrades, { maxLength: 3 }),
  }),
  source: record({
    type: is("source"),
    name: text,
    bid: fc.double(),
    ask: fc.double(),
    timeMs: times,
  }),
  orderEvent: record({
    type: is("orderEvent"),
    event: record({
      eventType: fc.constantFrom(
        "NEW" as const,
        "TRADE" as const,
        "CANCEL" as const,
        "TRIGGER" as const,
        "REJECTED" as const,
      ),
      order: reports,
      fill: fc.option(fills, { nil: undefined }),
      blockNumber: wholes,
      timeMs: times,
      txHash: text,
    }),
  }),
  accountEvent: record({ type: is("accountEvent"), event: accountEvents }),
  stream: record({
    type: is("stream"),
    state: fc.constantFrom(
      "opened" as const,
      "closed" as const,
      "alive" as const,
      "stalled" as const,
    ),
    reason: text,
  }),
  signed: record({ type: is("signed"), intent: wholes, txHash: orderIds }),
  response: record({ type: is("response"), intent: wholes, outcome: outcomes }),
  order: record({
    type: is("order"),
    orderId: orderIds,
    report: fc.oneof(reports, fc.constant("absent" as const)),
  }),
  openOrders: record({ type: is("openOrders"), orders: fc.array(reports, { maxLength: 3 }) }),
  fills: record({ type: is("fills"), fills: fc.array(fills, { maxLength: 3 }) }),
  transfers: record({
    type: is("transfers"),
    transfers: fc.array(transfers, { maxLength: 3 }),
  }),
  balances: record({
    type: is("balances"),
    balances: fc.array(record({ tokenId: tokenIds, locked: amounts, unlocked: amounts }), {
      maxLength: 3,
    }),
    blockNumber: wholes,
  }),
  markets: record({ type: is("markets"), markets: fc.array(markets, { maxLength: 2 }) }),
  venueTime: record({ type: is("venueTime"), offsetMs: fc.double(), roundTripMs: fc.double() }),
  readFailed: record({
    type: is("readFailed"),
    read: fc.constantFrom("book" as const, "order" as const, "fills" as const),
    key: text,
    message: text,
    reason: reasons,
    retryAfterMs: fc.option(fc.integer(), { nil: undefined }),
  }),
  restored: record({
    type: is("restored"),
    restored: record({
      nonceHighWater: wholes,
      orders: fc.array(restoredOrders, { maxLength: 2 }),
      carried: fc.constant([]),
    }),
  }),
  operator: record({
    type: is("operator"),
    command: fc.constantFrom("stop" as const, "pause" as const, "resume" as const),
  }),
  resubscribed: record({ type: is("resubscribed"), channel: channels }),
  tokenWanted: record({ type: is("tokenWanted") }),
  mustStop: record({ type: is("mustStop"), reason: text, limitMs: wholes }),
  warning: record({ type: is("warning"), code: text, message: text }),
  clockStepped: record({ type: is("clockStepped"), byMs: fc.integer() }),
  guard: record({ type: is("guard"), isConnected: fc.boolean() }),
  params: record({
    type: is("params"),
    strategies: fc.array(record({ name: text, params: fc.array(wholes) })),
  }),
  signerChanged: record({ type: is("signerChanged") }),
  journalFailed: record({
    type: is("journalFailed"),
    message: text,
  }),
};

type EffectOf<Type extends Effect["type"]> = Extract<Effect, { type: Type }>;
const effectTable: { readonly [Type in Effect["type"]]: fc.Arbitrary<EffectOf<Type>> } = {
  candles: record({
    type: is("candles"),
    marketId: marketIds,
    resolution: is("60"),
    fromMs: wholes,
  }),
  trades: record({ type: is("trades"), marketId: marketIds, limit: wholes }),
  adopt: record({ type: is("adopt"), order: restoredOrders }),
  place: record({
    type: is("place"),
    intent: wholes,
    nonce: wholes,
    strategy: text,
    marketId: marketIds,
    side: sides,
    orderType: fc.constantFrom("LIMIT" as const, "MARKET" as const),
    orderMode: fc.constantFrom(0 as const, 1 as const),
    price: fc.double(),
    quantity: amounts,
  }),
  stop: record({
    type: is("stop"),
    intent: wholes,
    nonce: wholes,
    strategy: text,
    name: text,
    marketId: marketIds,
    side: sides,
    kind: fc.constantFrom("stop-loss" as const, "take-profit" as const),
    stopPrice: fc.double(),
    orderType: fc.constantFrom("LIMIT" as const, "MARKET" as const),
    orderMode: fc.constantFrom(0 as const, 1 as const),
    price: fc.double(),
    quantity: amounts,
  }),
  modify: record({
    type: is("modify"),
    intent: wholes,
    nonce: wholes,
    strategy: text,
    orderId: orderIds,
    marketId: marketIds,
    side: sides,
    newPrice: fc.double(),
    newQty: amounts,
  }),
  cancel: record({
    type: is("cancel"),
    intent: wholes,
    nonce: wholes,
    strategy: text,
    orderId: orderIds,
  }),
  standby: record({
    type: is("standby"),
    nonce: wholes,
    strategy: text,
    intent: fc.integer(),
    orderId: fc.option(orderIds, { nil: undefined }),
    orderNonce: wholes,
    isAcknowledged: fc.boolean(),
  }),
  book: record({ type: is("book"), marketId: marketIds }),
  order: record({ type: is("order"), orderId: orderIds }),
  openOrders: fc.oneof(
    record({ type: is("openOrders") }),
    record({ type: is("openOrders"), sinceMs: wholes }),
  ),
  tokens: record({ type: is("tokens"), count: wholes }),
  fills: record({ type: is("fills"), sinceMs: wholes }),
  balances: record({ type: is("balances") }),
  transfers: record({ type: is("transfers"), sinceMs: wholes }),
  markets: record({ type: is("markets") }),
  venueTime: record({ type: is("venueTime") }),
  resubscribe: record({ type: is("resubscribe"), channel: channels }),
  reconnect: record({ type: is("reconnect"), reason: text }),
  finished: record({ type: is("finished"), ok: fc.boolean(), reason: text }),
};

export const inputs: fc.Arbitrary<Input> = fc.oneof(...Object.values(inputTable));
export const effects: fc.Arbitrary<Effect> = fc.oneof(...Object.values(effectTable));

export const batchEntries: fc.Arbitrary<BatchEntry> = record({
  batch: record({ seq: wholes, nowMs: times, inputs: fc.array(inputs, { maxLength: 6 }) }),
  effects: fc.array(effects, { maxLength: 4 }),
  signed: fc.array(record({ intent: wholes, txHash: orderIds, bytesHex: hex(280) }), {
    maxLength: 2,
  }),
  ended: fc.array(orderIds, { maxLength: 2 }),
  booked: fc.array(fills, { maxLength: 2 }),
});
