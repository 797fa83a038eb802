import { assert } from "../base/assert.ts";
import type { Command, CommandOutcome, PlaceCommand, StopCommand } from "../domain/command.ts";
import { fixedFromNumber, type Fixed } from "../domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { UnixMs } from "../domain/time.ts";
import type { OrderRequest } from "../exchange/admission.ts";
import { Exchange } from "../exchange/exchange.ts";
import type { ListFilter } from "../exchange/order-lists.ts";
import type { CommandResult, Block, OrderRecord } from "../exchange/records.ts";
import type { RecordedFlow } from "../exchange/recorded-flow.ts";
import type { Read } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import { listLimits } from "../spec/limits.ts";
import { blockInputs, flat } from "./block-inputs.ts";
import { DelayLine } from "./delay-line.ts";

/** Constant delays of the way to the venue and back, whole milliseconds. */
export interface Latency {
  /** From the bot to the exchange: commands and questions. */
  readonly commandMs: number;
  /** From the exchange to the bot: answers and streams. */
  readonly newsMs: number;
}

export interface SimulatedVenueOptions {
  readonly markets: readonly Market[];
  /** The bot's account, and what it starts with. */
  readonly owner: Address;
  readonly balances: ReadonlyMap<TokenId, Fixed>;
  readonly latency: Latency;
  /** Told of every block as it is made. */
  readonly onBlock: (block: Block) => void;
}

/** What leaves the bot. A command carries its transaction's hash; `subscribe` opens the streams. */
export type Request =
  | { readonly type: "command"; readonly command: Command; readonly txHash: OrderId }
  | { readonly type: "read"; readonly read: Read }
  | { readonly type: "subscribe" };

/**
 * The venue of a replay: the exchange, moved by a recording (D35), at the far end of a network with constant delays. It talks
 * to the bot in kernel inputs; no transaction is signed and no text made. Streams and answers share one line, so what the
 * exchange did first arrives first.
 */
export class SimulatedVenue {
  readonly exchange: Exchange;
  readonly #owner: Address;
  readonly #latency: Latency;
  readonly #flows: ReadonlyMap<MarketId, RecordedFlow>;
  readonly #requests: DelayLine<Request>;
  readonly #news: DelayLine<Input>;
  #isSubscribed = false;

  constructor(options: SimulatedVenueOptions) {
    const { markets, owner, balances, latency, onBlock } = options;
    this.#owner = owner;
    this.#latency = latency;
    this.#requests = new DelayLine(latency.commandMs);
    this.#news = new DelayLine(latency.newsMs);
    const accounts = new Map([[owner, balances]]);
    this.exchange = new Exchange({ markets, accounts }, (block) => {
      onBlock(block);
      if (!this.#isSubscribed) return;
      for (const input of blockInputs(block, owner)) this.#news.send(input, block.timeMs);
    });
    this.#flows = new Map(
      markets.map(({ marketId }) => [marketId, this.exchange.recordedFlow(marketId)]),
    );
  }

  /** When the next request reaches the exchange; Infinity when none is on its way. */
  get nextRequestMs(): number {
    return this.#requests.nextMs;
  }

  /** When the next news reaches the bot; Infinity when none is on its way. */
  get nextNewsMs(): number {
    return this.#news.nextMs;
  }

  /** Recorded levels and trades left out since no order could have their price or quantity. */
  get ignored(): number {
    let sum = 0;
    for (const flow of this.#flows.values()) sum += flow.ignored;
    return sum;
  }

  /** A recorded event happens. */
  play(marketId: MarketId, event: MarketEvent, nowMs: UnixMs): void {
    const flow = this.#flows.get(marketId);
    assert(flow !== undefined, "every recorded market that is played has its flow");
    if (event.type === "trade") flow.trade(event.trade, nowMs);
    else if (event.type === "depth") flow.depth(event.event.bids, event.event.asks, nowMs);
    else flow.snapshot(event.snapshot.bids, event.snapshot.asks, nowMs);
  }

  /** The streams break off: no more news of blocks until the bot subscribes again. Orders rest as they are. */
  cutStreams(): void {
    this.#isSubscribed = false;
  }

  /** The bot sends something. */
  send(request: Request, nowMs: UnixMs): void {
    this.#requests.send(request, nowMs);
  }

  /** Handles every request that has reached the exchange. */
  handle(nowMs: UnixMs): void {
    for (;;) {
      const request = this.#requests.receive(nowMs);
      if (request === undefined) return;
      this.#news.send(this.#respond(request, nowMs), nowMs);
    }
  }

  /** The next news that has reached the bot. */
  receive(nowMs: UnixMs): Input | undefined {
    return this.#news.receive(nowMs);
  }

  #respond(request: Request, nowMs: UnixMs): Input {
    switch (request.type) {
      case "subscribe":
        this.#isSubscribed = true;
        return { type: "stream", state: "opened", reason: "" };
      case "command": {
        const { command, txHash } = request;
        const outcome = outcomeOf(this.#carryOut(command, txHash, nowMs));
        return { type: "response", intent: command.intent, outcome };
      }
      case "read":
        return this.#look(request.read, nowMs);
    }
  }

  #carryOut(command: Command, txHash: OrderId, nowMs: UnixMs): CommandResult {
    if (command.type === "cancel") {
      return this.exchange.cancel(this.#owner, command.orderId, nowMs, txHash);
    }
    if (command.type === "modify") {
      const change = { price: fixedFromNumber(command.newPrice), quantity: command.newQty };
      return this.exchange.modify(this.#owner, command.orderId, change, nowMs, { txHash });
    }
    return this.exchange.place(this.#owner, requestOf(command), nowMs, { txHash });
  }

  #look(read: Read, nowMs: UnixMs): Input {
    const { exchange } = this;
    const owner = this.#owner;
    switch (read.type) {
      case "book": {
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
      case "markets":
        return { type: "markets", markets: exchange.markets };
      case "venueTime": {
        const { commandMs, newsMs } = this.#latency;
        // The two clocks are one.
        return { type: "venueTime", offsetMs: 0, roundTripMs: commandMs + newsMs };
      }
    }
  }

  /** The bot's open orders as the exchange has them now. */
  openOrders(nowMs: UnixMs): readonly OrderRecord[] {
    return this.exchange.openOrders(this.#owner, everythingUntil(nowMs));
  }
}

/** What a placement or a stop order asks of the exchange. */
function requestOf(command: PlaceCommand | StopCommand): OrderRequest {
  const { marketId, side, orderType, orderMode, quantity } = command;
  const price = fixedFromNumber(command.price);
  const request = { marketId, side, orderType, orderMode, price, quantity };
  if (command.type === "stop") {
    return { ...request, stopPrice: fixedFromNumber(command.stopPrice) };
  }
  const { tpsl } = command;
  if (tpsl === undefined) return request;
  const { tpLimit, slTrigger, slLimit } = tpsl;
  return {
    ...request,
    tpsl: {
      tpLimit: fixedFromNumber(tpLimit),
      slTrigger: fixedFromNumber(slTrigger),
      slLimit: slLimit === undefined ? undefined : fixedFromNumber(slLimit),
    },
  };
}

function everythingUntil(nowMs: UnixMs): ListFilter {
  return { fromMs: 0, toMs: nowMs, limit: Number.POSITIVE_INFINITY };
}

function outcomeOf(response: CommandResult): CommandOutcome {
  if (response.code === 200) return { type: "accepted" };
  const { code, errMsg: message } = response;
  return { type: "refused", code, message, retryAfterMs: undefined };
}
