import type { EndpointName } from "../../src/spec/endpoints.ts";
import type { Fields, RawAnswer, Tell } from "./lying-proxy.ts";

/** What a bot must do about a lie. */
export interface Expected {
  /** Codes that the log must have; an item that is a list asks for one of its codes. */
  readonly codes?: readonly (string | readonly string[])[];
  /** Whether orders of the bot are open at the venue after a few seconds of the lie; left out: they may be. */
  readonly quotes?: "on" | "off";
  /** Orders at the end: none is open at the venue, or those that may be are named by the exit. */
  readonly end?: "clean" | "named";
}

export interface Lie {
  readonly name: string;
  readonly tells: readonly Tell[];
  readonly expected: Expected;
  /** The lie is told before the bot starts, not from its first quotes on. */
  readonly isFromStart?: true;
}

const BIG = "1000000";

// biome-ignore format: one lie a line
export const lies: readonly Lie[] = [
  // Fills and fees.
  lie("fill at an impossible price in events", [onTrade(({ side }) => ({ lastPrice: worst(side) }))], { codes: ["FILL_IMPOSSIBLE"] }),
  lie("fill at an impossible price everywhere", [onTrade(({ side }) => ({ lastPrice: worst(side) })), list("order-trade", ({ side }) => ({ price: worst(side) }))], { codes: ["FILL_IMPOSSIBLE", "MARKET_LEFT"], quotes: "off" }),
  lie("fill larger than the order in events", [onTrade(() => ({ lastQty: BIG }))], { codes: ["FILL_IMPOSSIBLE"] }),
  lie("fill larger than the order everywhere", [onTrade(() => ({ lastQty: BIG })), list("order-trade", () => ({ quantity: BIG }))], { codes: ["FILL_IMPOSSIBLE", "MARKET_LEFT"], quotes: "off" }),
  lie("fee of 260000 in events", [onTrade(() => ({ fee: "260000" }))], { codes: ["FEE_IMPOSSIBLE"] }),
  lie("fee of 260000 everywhere", [onTrade(() => ({ fee: "260000" })), list("order-trade", () => ({ fee: "260000" }))], { codes: ["FEE_IMPOSSIBLE", "MARKET_LEFT"], quotes: "off" }),
  lie("fee of -260000 everywhere", [onTrade(() => ({ fee: "-260000" })), list("order-trade", () => ({ fee: "-260000" }))], { codes: ["FEE_IMPOSSIBLE", "MARKET_LEFT"], quotes: "off" }),
  lie("fee in a token that is not the market's in events", [onTrade(() => ({ fee: "0.001", feeTokenId: "9" }))], { codes: ["FEE_IMPOSSIBLE"] }),
  lie("fee in a token that is not the market's everywhere", [onTrade(() => ({ fee: "0.001", feeTokenId: "9" })), list("order-trade", () => ({ fee: "0.001", feeTokenId: "9" }))], { codes: ["FEE_IMPOSSIBLE", "MARKET_LEFT"], quotes: "off" }),
  lie("fee of twice the rate", [onTrade(({ fee }) => ({ fee: times(fee, 2) })), list("order-trade", ({ fee }) => ({ fee: times(fee, 2) }))], { codes: [] }),
  lie("fill on the other side", [onTrade(({ side }) => ({ side: other(side) }))], { codes: ["ORDER_IMPOSSIBLE"] }),
  lie("fill in a market that is not the order's", [onTrade(() => ({ marketId: "1_9" }))], { codes: ["ORDER_IMPOSSIBLE"] }),
  lie("executed quantity beyond the order's in events", [onTrade(() => ({ executedQty: BIG }))], { codes: ["ORDER_IMPOSSIBLE"] }),
  lie("executed quantity beyond the order's over REST", [one("order-show", () => ({ executedQty: BIG })), list("order-open", () => ({ executedQty: BIG }))], { codes: ["ORDER_IMPOSSIBLE", "MARKET_LEFT"], quotes: "off" }),
  lie("list of fills is empty and events have none", [answer("order-trade", () => []), onTrade(() => ({ eventType: "NEW", lastQty: "0" }))], { end: "clean" }),
  lie("fills under new trade ids", [onTrade((event) => ({ tradeId: `${String(event["tradeId"])}9` }))], {}),
  lie("trade of an order that only rests", [alsoAfterNew((event) => ({ ...event, eventType: "TRADE", status: "FILLED", executedQty: event["origQty"], lastQty: event["origQty"], lastPrice: event["origPrice"], tradeId: `ghost ${String(event["orderId"])}`, isMaker: true }))], { end: "clean" }),
  lie("every trade comes again with half the quantity", [push("userEvent", (event) => (event["eventType"] === "TRADE" ? [event, { ...event, lastQty: times(event["lastQty"], 0.5) }] : [event]))], { codes: ["FILL_IMPOSSIBLE"], quotes: "on", end: "clean" }),
  // Orders that show, end and come back.
  lie("CANCEL of orders that rest", [alsoAfterNew((event) => ({ ...event, eventType: "CANCEL", status: "CANCELED" }))], { end: "clean" }),
  lie("REJECTED of orders that rest", [alsoAfterNew((event) => ({ ...event, eventType: "REJECTED", status: "REJECTED" }))], { end: "clean" }),
  lie("no user events", [push("userEvent", () => [])], { end: "clean" }),
  lie("every user event 20 times", [push("userEvent", (event) => Array.from({ length: 20 }, () => event))], { quotes: "on", end: "clean" }),
  lie("user events of another account", [push("userEvent", (event) => [{ ...event, accountAddress: `0x${"ab".repeat(20)}` }])], {}),
  lie("no order is open", [answer("order-open", () => [])], { end: "clean" }),
  lie("orders are unknown by id", [raw("order-show", failure(404, "no such order")), raw("order", failure(500, "no"), true)], { end: "named" }),
  lie("orders are CANCELED by id", [push("userEvent", () => []), one("order-show", () => ({ status: "CANCELED" }))], { end: "clean" }),
  lie("400 open orders of others", [answer("order-open", (result) => [...asList(result), ...foreign(400)])], { end: "clean" }),
  lie("cancels are accepted and do nothing", [raw("order-cancel", accepted(), false)], { codes: [], end: "named" }),
  lie("cancels of orders that rest find none", [raw("order-cancel", failure(404, "no such order"), false)], { end: "named" }),
  lie("placements are refused and take effect", [raw("order", failure(400, "no"), true)], { codes: [["ORDER_APPEARED", "ORDER_CONTRADICTION"]], end: "clean" }),
  lie("placements are accepted and do nothing", [raw("order", accepted(), false)], { end: "named" }),
  lie("placements get a 500 and take effect", [raw("order", failure(500, "no"), true)], { end: "clean" }),
  // Books.
  lie("a crossed book", [depthLevels((level, side) => (side === "bids" ? scaled(level, 1.02) : level))], { codes: ["BOOK_IMPOSSIBLE"], end: "clean" }),
  lie("the touch jumps up while trades stay", [...everyBook((level) => scaled(level, 1.1))], { codes: ["BOOK_IMPOSSIBLE"], end: "clean" }),
  lie("the touch jumps down while trades stay", [...everyBook((level) => scaled(level, 0.9))], { codes: ["BOOK_IMPOSSIBLE"], end: "clean" }),
  lie("bids vanish", [...everyBook((level, side) => (side === "bids" ? [level[0], "0"] : level))], { end: "clean" }),
  lie("every third depth event is missing", [thirdMissing()], { end: "clean" }),
  lie("depth events go back", [push("depth", (event) => [{ ...event, firstId: 1, finalId: 2 }])], { end: "clean" }),
  lie("no depth events", [push("depth", () => [])], { end: "clean" }),
  lie("depth events of 5000 levels", [push("depth", (event) => [{ ...event, bids: Array.from({ length: 5000 }, (_, at) => [`0.${String(at + 1).padStart(5, "0")}`, "1"]) }])], { end: "clean" }),
  lie("prices of 400 digits", [depthLevels(([, quantity]) => ["9".repeat(400), quantity])], { end: "clean" }),
  lie("negative prices", [depthLevels(([price, quantity]) => [`-${price}`, quantity])], { end: "clean" }),
  lie("wrong snapshots of the book", [snapshotLevels((level) => scaled(level, 1.05))], { end: "clean" }),
  lie("a book of one id forever over REST", [one("depth", () => ({ lastUpdatedId: 1 })), snapshotLevels((level) => scaled(level, 1.05))], { end: "clean" }),
  lie("trades at ten times the price", [push("trade", (trade) => [{ ...trade, price: times(trade["price"], 10) }])], { end: "clean" }),
  lie("trades at a tenth of the price", [push("trade", (trade) => [{ ...trade, price: times(trade["price"], 0.1) }])], { end: "clean" }),
  lie("no public trades", [push("trade", () => [])], { end: "clean" }),
  // Markets and balances.
  lie("fees of 1 %", [list("market", () => ({ makerFee: "0.01", takerFee: "0.01" }))], { codes: ["MARKET_CHANGED"], end: "clean" }),
  lie("the market is not listed any more", [list("market", () => ({ listed: false }))], { codes: ["MARKET_CHANGED"], quotes: "off", end: "clean" }),
  lie("the market is gone", [answer("market", () => [])], { codes: ["MARKET_CHANGED"], quotes: "off", end: "clean" }),
  lie("the market's tokens change places", [list("market", () => ({ baseTokenId: "2", quoteTokenId: "1" }))], { codes: ["MARKET_CHANGED", "MARKET_LEFT"], quotes: "off", end: "clean" }),
  lie("a balance of a million more", [balances((row) => ({ unlocked: times(row["unlocked"], 10) }))], { codes: [["BALANCE_DRIFT", "BALANCE_CHANGED"]], end: "clean" }),
  lie("balances of 0", [balances(() => ({ unlocked: "0", locked: "0" }))], { codes: [["BALANCE_DRIFT", "BALANCE_CHANGED"]], end: "clean" }),
  lie("no balances", [one("balance", () => ({ balances: [] }))], { end: "clean" }),
  lie("balances of an early block", [one("balance", () => ({ blockNumber: 1 }))], { end: "clean" }),
  lie("every second report of the balances is of an early block", [answer("balance", (result, count) => changed(result, () => (count % 2 === 0 ? {} : { blockNumber: 1 })))], { codes: ["BALANCES_OLD"], quotes: "on", end: "clean" }),
  lie("balances go back to an early block", [answer("balance", (result, count) => changed(result, () => (count === 0 ? {} : { blockNumber: 1 })))], { codes: ["BALANCES_OLD"], quotes: "on", end: "clean" }),
  lie("a transfer that failed is to explain a balance", [richer(1_000), transferred(1_000, "FAILED")], { codes: ["BALANCE_DRIFT"], quotes: "on", end: "clean" }),
  lie("a transfer that is pending is to explain a balance", [richer(1_000), transferred(1_000, "PENDING")], { codes: ["BALANCE_DRIFT"], quotes: "on", end: "clean" }),
  lie("a transfer of an unknown status is to explain a balance", [richer(1_000), transferred(1_000, "ABSORBED")], { codes: ["BALANCE_DRIFT"], quotes: "on", end: "clean" }),
  // The start.
  atStart("the first book is a thousand times as high", [answer("depth", (book, count) => (count === 0 ? scaledBook(book, 1_000) : book))], { quotes: "on", end: "clean" }),
  atStart("the first book is a thousandth", [answer("depth", (book, count) => (count === 0 ? scaledBook(book, 0.001) : book))], { quotes: "on", end: "clean" }),
  atStart("all prices are a thousand times as high for two seconds", pricesFor(2_000, 1_000), { quotes: "on", end: "clean" }),
  atStart("all prices are a thousandth for two seconds", pricesFor(2_000, 0.001), { quotes: "on", end: "clean" }),
  atStart("the first balances are a thousand times as large", [firstBalances((row) => ({ unlocked: times(row["unlocked"], 1_000) }))], { codes: ["BALANCE_DRIFT"], quotes: "on", end: "clean" }),
  atStart("the first balances are 0", [firstBalances(() => ({ unlocked: "0", locked: "0" }))], { codes: ["BALANCE_DRIFT"], quotes: "on", end: "clean" }),
  atStart("the first balances are another account's", [firstBalances((row) => ({ unlocked: times(row["unlocked"], 0.37), locked: "12.5" }))], { codes: ["BALANCE_DRIFT"], quotes: "on", end: "clean" }),
  // Time.
  lie("the clock is an hour ahead once", [answer("time", (result, count) => clock(result, count === 0 ? 3_600_000 : 0))], { quotes: "on", end: "clean" }),
  lie("the clock is an hour ahead", [answer("time", (result) => clock(result, 3_600_000))], { codes: ["CLOCK_OFFSET"], end: "named" }),
  lie("the clock is another hour in each answer", [answer("time", (result, count) => clock(result, (count + 1) * 3_600_000))], { end: "clean" }),
  lie("the clock tells seconds", [answer("time", (result) => timed(result, (ms) => Math.floor(ms / 1000)))], { codes: ["READ_FAILED"], end: "clean" }),
  lie("the clock tells 0", [answer("time", (result) => timed(result, () => 0))], { codes: ["READ_FAILED"], end: "clean" }),
  lie("the clock tells a negative time", [answer("time", (result) => timed(result, (ms) => -ms))], { codes: ["READ_FAILED"], end: "clean" }),
  lie("the clock tells 10^15", [answer("time", (result) => timed(result, () => 1e15))], { codes: ["READ_FAILED"], end: "clean" }),
  // The transport.
  lie("answers are no JSON", [raw("all", { status: 200, body: "<html>" }, true)], { codes: ["READ_FAILED"], end: "named" }),
  lie("answers are a 503", [raw("all", failure(503, "busy"), false)], { codes: ["READ_FAILED"], end: "named" }),
  lie("a 429 that asks for a year", [raw("order-open", { ...failure(429, "slow down"), headers: { "retry-after": "31536000" } })], { end: "named" }),
  lie("lists of a million numbers", [answer("order-open", (_, count) => count === 0 ? Array.from({ length: 1_000_000 }, () => 1) : [])], { codes: ["READ_FAILED"], end: "clean" }),
  lie("frames are no JSON", [frames(() => ["{"])], { end: "clean" }),
  lie("frames are deep", [frames(() => ["[".repeat(100_000)])], { end: "clean" }),
  lie("the stream is cut at every tenth frame", [frames((text, count) => (count % 10 === 9 ? "cut" : [text]))], { end: "clean" }),
  // Lists without an end, and new names in each answer.
  lie("open orders of others without an end", [endless("order-open", (at, atMs) => foreignOrder(at, atMs), 100)], { end: "named" }),
  lie("a thousand new tokens in each report", [answer("balance", (result, count) => changed(result, (record) => ({ balances: [...asList(record["balances"]), ...newTokens(Math.floor(count / 3))] })))], { quotes: "on", end: "clean" }),
  lie("fills of others without an end, each in another market", [onTrade(({ side }) => ({ lastPrice: worst(side) })), endless("order-trade", (at, atMs) => foreignFill(at, atMs), 500)], { end: "named" }),
];

// What the lines above are made of.

function lie(name: string, tells: readonly Tell[], expected: Expected): Lie {
  return { name, tells, expected };
}

function atStart(name: string, tells: readonly Tell[], expected: Expected): Lie {
  return { name: `at the start ${name}`, tells, expected, isFromStart: true };
}

function answer(
  name: EndpointName,
  change: (result: unknown, count: number, address: string) => unknown,
): Tell {
  return { answer: name, change };
}

/** Changes fields of a response that is one record. */
function one(name: EndpointName, change: (record: Fields) => Fields): Tell {
  return answer(name, (result) => changed(result, change));
}

/** Changes fields of each record of a list. */
function list(name: EndpointName, change: (record: Fields) => Fields): Tell {
  return answer(name, (result) => asList(result).map((record) => changed(record, change)));
}

function balances(change: (row: Fields) => Fields): Tell {
  return one("balance", (record) => ({
    balances: asList(record["balances"]).map((row) => changed(row, change)),
  }));
}

/** The account has this much more of token 2. */
function richer(amount: number): Tell {
  return balances((row) =>
    row["tokenId"] === "2" ? { unlocked: String(Number(row["unlocked"]) + amount) } : {},
  );
}

/** The list of transfers has one of this amount of token 2 to the account. */
function transferred(amount: number, status: string): Tell {
  return answer("transfers", (_, count, address) => [
    {
      id: 1,
      fromAddress: `0x${"ab".repeat(20)}`,
      toAddress: address,
      txType: "TOKEN_TRANSFER",
      tokenId: "2",
      amount: String(amount),
      status,
      timestamp: Date.now() - count,
      hash: `0x${"cd".repeat(32)}`,
    },
  ]);
}

function raw(name: EndpointName | "all", answered: RawAnswer, isForwarded = false): Tell {
  return { answer: name, raw: answered, isForwarded };
}

function push(
  channel: "depth" | "depthSnapshot" | "trade" | "userEvent",
  payloads: (payload: Fields, count: number) => readonly unknown[],
): Tell {
  return { channel, push: payloads };
}

function frames(change: (text: string, count: number) => readonly string[] | "cut"): Tell {
  return { channel: "all", frames: change };
}

function thirdMissing(): Tell {
  let at = 0;
  return push("depth", (event) => {
    at += 1;
    return at % 3 === 0 ? [] : [event];
  });
}

/** Changes fields of own fills. */
function onTrade(change: (event: Fields) => Fields): Tell {
  return push("userEvent", (event) => [
    event["eventType"] === "TRADE" ? changed(event, change) : event,
  ]);
}

/** Adds an event of the same block after the NEW of each order. */
function alsoAfterNew(next: (event: Fields) => Fields): Tell {
  return push("userEvent", (event) =>
    event["eventType"] === "NEW" ? [event, next(event)] : [event],
  );
}

type Level = readonly [string, string];
type ChangeLevel = (level: Level, side: "bids" | "asks") => Level;

function bothSides(payload: Fields, change: ChangeLevel): Fields {
  const side = (name: "bids" | "asks"): readonly Level[] =>
    (asList(payload[name]) as readonly Level[]).map((level) => change(level, name));
  return { ...payload, bids: side("bids"), asks: side("asks") };
}

function depthLevels(change: ChangeLevel): Tell {
  return push("depth", (payload) => [bothSides(payload, change)]);
}

function snapshotLevels(change: ChangeLevel): Tell {
  return push("depthSnapshot", (payload) => [bothSides(payload, change)]);
}

/** Events, snapshots and the book over REST tell the same. Events cover only what changes, so the book is made to be read anew. */
function everyBook(change: ChangeLevel): readonly Tell[] {
  const rest = answer("depth", (book) => changedBook(book, change));
  const events = push("depth", (payload, count) =>
    count === 0 ? [] : [bothSides(payload, change)],
  );
  return [events, snapshotLevels(change), rest];
}

/** A book as REST answers it. */
function changedBook(book: unknown, change: ChangeLevel): Fields {
  return changed(book, (sides) => {
    const side = (name: "bids" | "asks"): readonly unknown[] =>
      asList(sides[name]).map((level) => {
        const { price, quantity } = level as { readonly price: string; readonly quantity: string };
        const [p, q] = change([price, quantity], name);
        return { ...(level as Fields), price: p, quantity: q };
      });
    return { bids: side("bids"), asks: side("asks") };
  });
}

function scaledBook(book: unknown, factor: number): Fields {
  return changedBook(book, (level) => scaled(level, factor));
}

/** Books, depth events and trades have these prices for so long after the first of them. */
function pricesFor(ms: number, factor: number): readonly Tell[] {
  let untilMs: number | undefined;
  const isOn = (): boolean => {
    untilMs ??= Date.now() + ms;
    return Date.now() < untilMs;
  };
  const level: ChangeLevel = (one) => (isOn() ? scaled(one, factor) : one);
  return [
    answer("depth", (book) => changedBook(book, level)),
    depthLevels(level),
    snapshotLevels(level),
    push("trade", (trade) => [isOn() ? { ...trade, price: times(trade["price"], factor) } : trade]),
  ];
}

function firstBalances(change: (row: Fields) => Fields): Tell {
  return answer("balance", (result, count) =>
    count > 0
      ? result
      : changed(result, (record) => ({
          balances: asList(record["balances"]).map((row) => changed(row, change)),
        })),
  );
}

function changed(record: unknown, change: (record: Fields) => Fields): Fields {
  const fields = record as Fields;
  return { ...fields, ...change(fields) };
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function worst(side: unknown): string {
  return side === "BUY" ? BIG : "0.000001";
}

function other(side: unknown): string {
  return side === "BUY" ? "SELL" : "BUY";
}

function times(text: unknown, factor: number): string {
  return (Number(text) * factor).toFixed(12).replace(/\.?0+$/, "");
}

function scaled([price, quantity]: Level, factor: number): Level {
  return [Number((Number(price) * factor).toPrecision(5)).toString(), quantity];
}

function clock(result: unknown, byMs: number): unknown {
  return timed(result, (ms) => ms + byMs);
}

function timed(result: unknown, change: (ms: number) => number): unknown {
  return changed(result, ({ serverTime }) => ({ serverTime: change(Number(serverTime)) }));
}

function failure(status: number, errMsg: string): RawAnswer {
  return { status, body: JSON.stringify({ code: status, errMsg, result: null }) };
}

function accepted(): RawAnswer {
  return { status: 200, body: JSON.stringify({ code: 200, errMsg: "OK" }) };
}

/** Every page of a list is full of rows that no page before had, a millisecond older. */
function endless(
  name: EndpointName,
  row: (at: number, atMs: number) => Fields,
  pageSize: number,
): Tell {
  let startMs: number | undefined;
  return answer(name, (_, page) => {
    const atMs = (startMs ??= Date.now() - 2_000) - page;
    return Array.from({ length: pageSize }, (_row, at) => row(page * pageSize + at, atMs));
  });
}

/** Balances of tokens that no other set has; a report with one of them proves nothing before the next has it, too. */
function newTokens(set: number): readonly Fields[] {
  return Array.from({ length: 990 }, (_, at) => ({
    tokenId: `new ${set} ${at}`,
    locked: "0",
    unlocked: "5",
  }));
}

function hashOf(at: number): string {
  return `0x${(at + 1).toString(16).padStart(64, "0")}`;
}

function foreignFill(at: number, createdAt: number): Fields {
  return {
    id: 1_000_000_000 - at,
    tradeId: `other ${at}`,
    orderId: hashOf(at),
    accountAddress: `0x${"ab".repeat(20)}`,
    marketId: `${at + 100}_${at + 101}`,
    side: "BUY",
    orderType: "LIMIT",
    origPrice: "90",
    origQty: "1",
    price: "90",
    quantity: "1",
    fee: "0",
    feeTokenId: "2",
    isMaker: true,
    createdAt,
  };
}

/** Open orders that the bot never placed. */
function foreign(count: number): readonly Fields[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, at) => foreignOrder(at, now - at));
}

function foreignOrder(at: number, createdAt: number): Fields {
  return {
    id: 1_000_000_000 - at,
    orderId: hashOf(at),
    accountAddress: `0x${"ab".repeat(20)}`,
    marketId: "1_2",
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: "90",
    origQty: "1",
    origQuoteOrderQty: "0",
    isTrigger: false,
    isTriggered: false,
    triggerPrice: "0",
    status: "NEW",
    contingencyType: "NONE",
    otoLegType: "NONE",
    txHash: hashOf(at),
    createdAt,
    updatedAt: createdAt,
    executedQty: "0",
    executedQuoteQty: "0",
  };
}
