/**
 * The room `simulated`: an exchange that recorded or live public data moves, as a venue for the kernel in virtual or real time.
 *
 * `SimulatedVenue` takes the kernel's commands and reads, delays them (`LatencyModel`), and gives kernel inputs back, delayed again. Market data is
 * played by the `FillModel`: by a queue at each price, which `RecordedLiquidity` of the exchange keeps, or by candles. `FeeModel` has rebates and tiers.
 *
 * Deterministic. Imports base, domain, spec, exchange, recordings and the kernel's inputs.
 */

import { assert } from "../base/assert.ts";
import type { Command, CommandOutcome, PlaceCommand, StopCommand } from "../domain/command.ts";
import type { MarketCandle } from "../domain/candle.ts";
import { CandleSeries, candleOfTrade } from "../domain/candle-series.ts";
import { fixedFromNumber, type Fixed } from "../domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import { transferOf } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import type { ExchangeCommand, OrderTerms, TpslRequest } from "../exchange/command.ts";
import { Exchange } from "../exchange/exchange.ts";
import type { DepthLevels } from "../exchange/recorded-side.ts";
import type { ListFilter } from "../exchange/order-lists.ts";
import type { CommandResult, Block, OrderRecord } from "../exchange/records.ts";
import type { WantedHistory } from "../kernel/wanted-history.ts";
import type { Read } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import type { PlayedEvent } from "../recordings/recorded-gaps.ts";
import { listLimits } from "../spec/limits.ts";
import { blockInputs, flat, tradeOf } from "./block-inputs.ts";
import { DelayLine } from "./delay-line.ts";
import { withFees } from "./fee-model.ts";
import { FeeVolume } from "./fee-volume.ts";
import type { MarketFlow } from "./fill-model.ts";
import type { LatencyModel } from "./latency-model.ts";
import type { VenueModels } from "./venue-models.ts";

export interface SimulatedVenueOptions {
  readonly markets: readonly Market[];
  /** The bot's account. */
  readonly owner: Address;
  /** Starting balances of the account. */
  readonly balances: ReadonlyMap<TokenId, Fixed>;
  readonly models: VenueModels;
  /** The candles that the bot may read; left out: none. */
  readonly history?: readonly WantedHistory[];
  /** Called with every block that moves an order, as it is made, and with some of the others. */
  readonly onBlock: (block: Block) => void;
}

/** A request of the bot. `txHash` is the hash of the command's transaction; `subscribe` opens the streams. */
export type Request =
  | { readonly type: "command"; readonly command: Command; readonly txHash: OrderId }
  | { readonly type: "read"; readonly read: Read }
  | { readonly type: "subscribe" };

interface SentRequest {
  readonly request: Request;
  readonly sentMs: UnixMs;
}

/**
 * An exchange that recorded or live public data moves, behind a network with modeled delays. It takes typed requests and returns
 * kernel inputs, without signatures and wire formats.
 */
export class SimulatedVenue {
  readonly exchange: Exchange;
  readonly #owner: Address;
  readonly #latency: LatencyModel;
  readonly #flows: ReadonlyMap<MarketId, MarketFlow>;
  readonly #requests = new DelayLine<SentRequest>();
  /** Responses, own orders and the account. */
  readonly #responses = new DelayLine<Input>();
  /** Market data and the state of the stream. */
  readonly #feed = new DelayLine<Input>();
  /** Number of inputs sent so far; inputs that arrive in the same millisecond keep this order. */
  #sent = 0;
  readonly #volume: FeeVolume;
  readonly #past: ReadonlyMap<MarketId, readonly CandleSeries[]>;
  #isSubscribed = false;
  /** Markets whose book is not known at the moment: the bot gets none. */
  readonly #unknown = new Set<MarketId>();
  /** Delay of the market data of the event that is being played. */
  #feedMs: number | undefined;

  constructor(options: SimulatedVenueOptions) {
    const { owner, balances, models, onBlock, history = [] } = options;
    this.#past = new Map(
      history.map(({ marketId, candles }) => [
        marketId,
        [...candles].map(([resolution, count]) => new CandleSeries(resolution, count)),
      ]),
    );
    const markets = withFees(options.markets, models.fees);
    this.#owner = owner;
    this.#volume = new FeeVolume(markets, owner, models.fees);
    this.#latency = models.latency;
    const accounts = new Map([[owner, balances]]);
    const listener = (block: Block): void => {
      onBlock(block);
      this.#volume.add(block);
      if (!this.#isSubscribed) return;
      for (const input of blockInputs(block, owner)) this.#deliver(input, block.timeMs);
    };
    this.exchange = new Exchange({ markets, accounts }, listener, {
      trade: (trade) => this.#feedData({ type: "trade", trade }, trade.timeMs),
      depth: (event) => this.#feedData({ type: "depth", event }, event.timeMs),
    });
    this.#flows = new Map(
      markets.map(({ marketId }) => [marketId, models.fills.open(this.exchange, marketId)]),
    );
  }

  /** When the next request reaches the exchange; Infinity when none is in transit. */
  get nextRequestMs(): number {
    return this.#requests.nextMs;
  }

  /** When the next input reaches the bot; Infinity when none is in transit. */
  get nextInputMs(): number {
    return Math.min(this.#responses.nextMs, this.#feed.nextMs);
  }

  /** Number of levels and trades that were ignored because no order can have their price or quantity. */
  get ignored(): number {
    let sum = 0;
    for (const flow of this.#flows.values()) sum += flow.ignored;
    return sum;
  }

  /** Plays a market event into the exchange. `feedMs`: its own delay to the bot, instead of the latency model's. */
  play(marketId: MarketId, event: PlayedEvent, nowMs: UnixMs, feedMs?: number): void {
    const flow = this.#flow(marketId);
    this.#followCandles(marketId, event);
    this.#feedMs = feedMs === undefined ? undefined : Math.ceil(feedMs);
    flow.play(event, nowMs);
    this.#volume.applyTo(this.exchange);
    this.#feedMs = undefined;
  }

  /** A candle of the time before the bot. */
  addCandle(marketId: MarketId, candle: MarketCandle): void {
    for (const series of this.#past.get(marketId) ?? []) series.add(candle);
  }

  #followCandles(marketId: MarketId, event: PlayedEvent): void {
    if (!this.#past.has(marketId)) return;
    if (event.type === "candle") {
      this.addCandle(marketId, { ...event.candle, timeMs: event.candle.openMs });
    } else if (event.type === "trade") {
      this.addCandle(marketId, candleOfTrade(event.trade));
    }
  }

  /** A market's levels of a side as recorded. */
  depthLevels(marketId: MarketId, side: Side): DepthLevels {
    return this.#flow(marketId).depthLevels(side);
  }

  #flow(marketId: MarketId): MarketFlow {
    const flow = this.#flows.get(marketId);
    assert(flow !== undefined, "every recorded market that is played has its flow");
    return flow;
  }

  /** Cuts the streams: the bot receives no block events until it subscribes again. Orders keep resting. */
  cutStreams(): void {
    this.#isSubscribed = false;
  }

  /** Cuts the streams, and the bot learns of it after everything that was already on its way. */
  loseStreams(reason: string, nowMs: UnixMs): void {
    if (this.#isSubscribed) this.#deliver({ type: "stream", state: "closed", reason }, nowMs);
    this.cutStreams();
  }

  /** From here on the market's book is not known: the one that the bot has no longer counts, and it gets no other until `regainBook`. */
  loseBook(marketId: MarketId, nowMs: UnixMs): void {
    this.#unknown.add(marketId);
    this.#readAnew(marketId, nowMs);
  }

  /** The market's book is known again, as the exchange has it. */
  regainBook(marketId: MarketId, nowMs: UnixMs): void {
    this.#unknown.delete(marketId);
    this.#readAnew(marketId, nowMs);
  }

  #readAnew(marketId: MarketId, nowMs: UnixMs): void {
    if (!this.#isSubscribed) return;
    this.#deliver({ type: "resubscribed", channel: { kind: "depth", marketId } }, nowMs);
  }

  /** Sends a request of the bot on its way to the exchange. */
  send(request: Request, nowMs: UnixMs): void {
    this.#requests.send({ request, sentMs: nowMs }, nowMs, this.#latency.entryMs(nowMs));
  }

  /** Handles every request that has reached the exchange by `untilMs`, each at the time at which it did. */
  handle(untilMs: UnixMs): void {
    for (;;) {
      const atMs = unixMs(this.nextRequestMs);
      const arrived = this.#requests.receive(untilMs);
      if (arrived === undefined) return;
      const input = this.#respond(arrived.request, atMs);
      if (input.type === "venueTime") {
        const responseMs = this.#latency.responseMs(atMs);
        const roundTripMs = atMs - arrived.sentMs + responseMs;
        this.#responses.send({ ...input, roundTripMs }, atMs, responseMs, this.#nextOrder());
      } else this.#deliver(input, atMs);
    }
  }

  /** Removes and returns the next input that has reached the bot; undefined when none has. */
  receive(nowMs: UnixMs): Input | undefined {
    const isFeedFirst = this.#feed.isBefore(this.#responses);
    return (isFeedFirst ? this.#feed : this.#responses).receive(nowMs);
  }

  #feedData(input: Input, sentMs: UnixMs): void {
    if (this.#isSubscribed) this.#sendFeed(input, sentMs);
  }

  #deliver(input: Input, sentMs: UnixMs): void {
    if (isMarketData(input)) this.#sendFeed(input, sentMs);
    else {
      const delayMs = this.#latency.responseMs(sentMs);
      this.#responses.send(input, sentMs, delayMs, this.#nextOrder());
    }
  }

  #sendFeed(input: Input, sentMs: UnixMs): void {
    const delayMs = this.#feedMs ?? this.#latency.feedMs(sentMs);
    this.#feed.send(input, sentMs, delayMs, this.#nextOrder());
  }

  #nextOrder(): number {
    this.#sent += 1;
    return this.#sent;
  }

  #respond(request: Request, nowMs: UnixMs): Input {
    switch (request.type) {
      case "subscribe":
        this.#isSubscribed = true;
        return { type: "stream", state: "opened", reason: "" };
      case "command": {
        const { command, txHash } = request;
        const outcome = outcomeOf(this.#execute(command, txHash, nowMs));
        return { type: "response", intent: command.intent, outcome };
      }
      case "read":
        return this.#read(request.read, nowMs);
    }
  }

  #execute(command: Command, txHash: OrderId, nowMs: UnixMs): CommandResult {
    const result = this.exchange.execute(this.#owner, exchangeCommand(command), nowMs, { txHash });
    this.#volume.applyTo(this.exchange);
    return result;
  }

  #read(read: Read, nowMs: UnixMs): Input {
    const { exchange } = this;
    const owner = this.#owner;
    switch (read.type) {
      case "book": {
        if (this.#unknown.has(read.marketId)) return unknownBook(read.marketId);
        const { bids, asks, updatedAtMs, ...book } = exchange.book(
          read.marketId,
          listLimits.depth.max,
        );
        const snapshot = { ...book, timeMs: updatedAtMs, bids: flat(bids), asks: flat(asks) };
        return { type: "book", snapshot };
      }
      case "order": {
        const report = exchange.order(read.orderId) ?? "absent";
        return { type: "order", orderId: read.orderId, report };
      }
      case "openOrders":
        return { type: "openOrders", orders: this.openOrders(nowMs) };
      case "fills": {
        const filter = { ...everythingUntil(nowMs), fromMs: read.sinceMs };
        return { type: "fills", fills: exchange.userTrades(owner, filter) };
      }
      case "balances":
        return {
          type: "balances",
          balances: exchange.balances(owner),
          blockNumber: exchange.blockNumber,
        };
      case "transfers": {
        const filter = { fromMs: read.sinceMs, toMs: nowMs, limit: listLimits.transfers.max };
        const rows = exchange.transfers(owner, filter);
        return { type: "transfers", transfers: rows.map((row) => transferOf(owner, row)) };
      }
      case "markets":
        return { type: "markets", markets: exchange.markets };
      case "candles": {
        const { marketId, resolution, fromMs } = read;
        const series = this.#past.get(marketId)?.find((one) => one.resolution === resolution);
        return { ...read, candles: series?.since(fromMs, nowMs) ?? [] };
      }
      case "trades": {
        const { marketId, limit } = read;
        const trades = exchange.publicTrades(marketId, limit).map(tradeOf).toReversed();
        return { type: "trades", marketId, trades };
      }
      case "venueTime":
        // Bot and exchange share one clock. `handle` sets the round trip when it sends the response.
        return { type: "venueTime", offsetMs: 0, roundTripMs: 0 };
    }
  }

  /** The bot's open orders as the exchange has them now. */
  openOrders(nowMs: UnixMs): readonly OrderRecord[] {
    return this.exchange.openOrders(this.#owner, everythingUntil(nowMs));
  }
}

/** True for inputs of the public channels. The state of a stream or a channel travels with the data that follows it. */
function isMarketData({ type }: Input): boolean {
  return type === "depth" || type === "trade" || type === "stream" || type === "resubscribed";
}

/** Much longer than a bot would wait by itself; it reads the book at once when it is subscribed to anew. */
const UNKNOWN_RETRY_MS = 3_600_000;

function unknownBook(marketId: MarketId): Input {
  return {
    type: "readFailed",
    read: "book",
    key: marketId,
    message: "the book is not known",
    reason: "unavailable",
    retryAfterMs: UNKNOWN_RETRY_MS,
  };
}

/** Converts the bot's command to the exchange's. */
function exchangeCommand(command: Command): ExchangeCommand {
  switch (command.type) {
    case "place":
      return { type: "place", ...termsOf(command), tpsl: command.tpsl && exactTpsl(command.tpsl) };
    case "stop":
      return { type: "stop", ...termsOf(command), stopPrice: fixedFromNumber(command.stopPrice) };
    case "cancel":
      return { type: "cancel", orderId: command.orderId };
    case "modify": {
      const { orderId, newPrice, newQty } = command;
      return { type: "modify", orderId, price: fixedFromNumber(newPrice), quantity: newQty };
    }
  }
}

function termsOf(command: PlaceCommand | StopCommand): OrderTerms {
  const { marketId, side, orderType, orderMode, quantity } = command;
  const price = fixedFromNumber(command.price);
  return { marketId, side, orderType, orderMode, price, quantity };
}

function exactTpsl({ tpLimit, slTrigger, slLimit }: Tpsl): TpslRequest {
  return {
    tpLimit: fixedFromNumber(tpLimit),
    slTrigger: fixedFromNumber(slTrigger),
    slLimit: slLimit === undefined ? undefined : fixedFromNumber(slLimit),
  };
}

function everythingUntil(nowMs: UnixMs): ListFilter {
  return { fromMs: 0, toMs: nowMs, limit: Number.POSITIVE_INFINITY };
}

function outcomeOf(result: CommandResult): CommandOutcome {
  if (result.type === "accepted") return { type: "accepted" };
  const { reason, message } = result;
  return { type: "refused", reason, message, retryAfterMs: undefined };
}
