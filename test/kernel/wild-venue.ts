import type { Prng } from "../../src/base/prng.ts";
import { makesOrder, type Command, type OrderingCommand } from "../../src/domain/command.ts";
import { fixed, fixedFromNumber, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { CommandOutcome } from "../../src/domain/command.ts";
import { idsMadeBy } from "../../src/domain/leg-ids.ts";
import type { Fill, OrderReport, OrderType } from "../../src/domain/order.ts";
import { opposite, type Side } from "../../src/domain/side.ts";
import { unixMs, type UnixMs } from "../../src/domain/time.ts";
import { readKey } from "../../src/domain/read-order.ts";
import type { Read } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { market, owner } from "./harness.ts";

interface KnownOrder {
  readonly id: OrderId;
  readonly side: Side;
  readonly quantity: Fixed;
  readonly price: number;
  readonly type: OrderType;
}

const statuses = [
  "NEW",
  "NEW",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELED",
  "REJECTED",
  "EXPIRED",
  "PENDING_NEW",
  "PENDING_CANCEL",
] as const;
const refusals = ["notFound", "nonceUsed", "rateLimited", "unauthorized", "invalid"] as const;

/** The hash of a command. */
export function wildHash(intent: number): OrderId {
  return `0x${(intent * 16).toString(16).padStart(62, "0")}01` as OrderId;
}

/** A venue that says anything about our orders, in any order, as often as it likes. `isSane`: at least its quantities fit. */
export class WildVenue {
  readonly #prng: Prng;
  readonly #isSane: boolean;
  readonly #orders: KnownOrder[] = [];
  #requests: number[] = [];
  #reads: Read[] = [];
  #signed: Input[] = [];
  #block = 0;
  #trades = 0;
  #lastId = 100;
  #nowMs: UnixMs = unixMs(0);

  constructor(prng: Prng, isSane: boolean) {
    this.#prng = prng;
    this.#isSane = isSane;
  }

  sent(command: Command): void {
    const txHash = wildHash(command.intent);
    this.#requests.push(command.intent);
    this.#signed.push({ type: "signed", intent: command.intent, txHash });
    if (makesOrder(command)) this.#add(command, txHash);
  }

  read(read: Read): void {
    this.#reads.push(read);
  }

  /** What arrives in the next batch. */
  inputs(nowMs: UnixMs, isFirst: boolean): Input[] {
    this.#nowMs = nowMs;
    const inputs: Input[] = [...this.#signed, ...this.#responses(), ...this.#answers()];
    this.#signed = [];
    if (isFirst) inputs.push({ type: "stream", state: "opened", reason: "" });
    for (const order of this.#orders.slice(-12)) {
      if (this.#prng.chance(0.15)) inputs.push(this.#event(order));
    }
    if (this.#prng.chance(0.3)) inputs.push(this.#depth());
    if (this.#prng.chance(0.02)) {
      inputs.push({ type: "stream", state: "closed", reason: "cut" });
      inputs.push({ type: "stream", state: "opened", reason: "" });
    }
    if (this.#prng.chance(0.01)) {
      inputs.push({ type: "operator", command: this.#prng.pick(["pause", "resume"]) });
    }
    if (this.#prng.chance(0.03)) {
      inputs.push({ type: "guard", isConnected: this.#prng.chance(0.7) });
    }
    if (this.#prng.chance(0.01)) {
      inputs.push({ type: "clockStepped", byMs: this.#prng.int(-10_000, 10_000) });
    }
    return inputs;
  }

  #add(command: OrderingCommand, txHash: OrderId): void {
    const [main, takeProfit, stopLoss] = idsMadeBy(command, txHash);
    const price = command.type === "modify" ? command.newPrice : command.price;
    const quantity = command.type === "modify" ? command.newQty : command.quantity;
    const type = command.type === "stop" ? "STOP_LOSS_MARKET" : "LIMIT";
    if (main !== undefined)
      this.#orders.push({ id: main, side: command.side, quantity, price, type });
    if (command.type !== "place" || command.tpsl === undefined) return;
    const leg = { side: opposite(command.side), quantity };
    if (takeProfit === undefined || stopLoss === undefined) return;
    this.#orders.push(
      { ...leg, id: takeProfit, price: command.tpsl.tpLimit, type: "TAKE_PROFIT_LIMIT" },
      { ...leg, id: stopLoss, price: 0, type: "STOP_LOSS_MARKET" },
    );
  }

  #responses(): Input[] {
    const inputs: Input[] = [];
    const open = this.#requests;
    this.#requests = [];
    for (const intent of open) {
      if (this.#prng.chance(0.4)) this.#requests.push(intent);
      else inputs.push({ type: "response", intent, outcome: this.#outcome() });
    }
    return inputs;
  }

  #outcome(): CommandOutcome {
    const draw = this.#prng.unit();
    if (draw < 0.6) return { type: "accepted" };
    if (draw < 0.75) return { type: "unknown", message: "time-out" };
    if (draw < 0.8) return { type: "not-sent", message: "no connection" };
    const reason = this.#prng.pick(refusals);
    return { type: "refused", reason, message: "no", retryAfterMs: undefined };
  }

  #answers(): Input[] {
    const inputs: Input[] = [];
    const open = this.#reads;
    this.#reads = [];
    for (const read of open) {
      if (this.#prng.chance(0.7)) inputs.push(this.#answer(read));
      else this.#reads.push(read);
    }
    return inputs;
  }

  #answer(read: Read): Input {
    const prng = this.#prng;
    if (prng.chance(0.15)) {
      const key = readKey(read);
      const retryAfterMs = prng.chance(0.1) ? 500 : undefined;
      return {
        type: "readFailed",
        read: read.type,
        key,
        message: "no",
        reason: "unavailable",
        retryAfterMs,
      };
    }
    switch (read.type) {
      case "venueTime": {
        const offsetMs = prng.chance(0.05) ? prng.int(-100_000, 100_000) : 0;
        return { type: "venueTime", offsetMs, roundTripMs: 1 };
      }
      case "openOrders": {
        const open = this.#orders.slice(-20).filter(() => prng.chance(0.4));
        const status = prng.pick(["NEW", "PARTIALLY_FILLED"] as const);
        return {
          type: "openOrders",
          orders: open.map((order) => ({ ...this.#report(order), status })),
        };
      }
      case "fills": {
        const filled = this.#orders.slice(-10).filter(() => prng.chance(0.2));
        return { type: "fills", fills: filled.map((order) => this.#fill(order)) };
      }
      case "candles":
        return { ...read, candles: [] };
      case "trades":
        return { type: "trades", marketId: read.marketId, trades: [] };
      case "balances":
        this.#block += 1;
        return {
          type: "balances",
          blockNumber: prng.chance(0.05) ? 1 : this.#block,
          balances: [
            { tokenId: market.baseToken, locked: ZERO, unlocked: fixed("100") },
            { tokenId: market.quoteToken, locked: ZERO, unlocked: fixed("1000000") },
          ],
        };
      case "book": {
        const [bids, asks] = [Float64Array.of(1999, 5), Float64Array.of(2001, 5)];
        const { marketId } = market;
        const snapshot = { marketId, lastId: this.#lastId, timeMs: this.#nowMs, bids, asks };
        return { type: "book", snapshot };
      }
      case "order": {
        const order = this.#orders.find(({ id }) => id === read.orderId);
        const report = order === undefined || prng.chance(0.3) ? "absent" : this.#report(order);
        return { type: "order", orderId: read.orderId, report };
      }
      case "transfers": {
        const row = { tokenId: market.baseToken, timeMs: this.#nowMs, txHash: "0xt" };
        const transfers = prng.chance(0.5) ? [] : [{ ...row, amount: fixed("-1") }];
        return { type: "transfers", transfers };
      }
      case "markets":
        return { type: "markets", markets: [market] };
    }
  }

  #report({ id, side, quantity: ordered, price, type }: KnownOrder): OrderReport {
    const prng = this.#prng;
    const isOdd = !this.#isSane && prng.chance(0.1);
    const quantity = isOdd ? fixed(prng.pick(["0.1", "3", "0.7"])) : ordered;
    const status = prng.pick(statuses);
    const isUntouched = status === "NEW" || status === "REJECTED" || status === "PENDING_NEW";
    const tenths = status === "FILLED" ? 10 : isUntouched ? 0 : prng.int(0, this.#isSane ? 9 : 14);
    return {
      orderId: id,
      account: owner,
      marketId: market.marketId,
      side,
      orderType: type,
      orderMode: 0,
      price: price > 0 ? fixedFromNumber(price) : ZERO,
      origQty: quantity,
      origQuoteOrderQty: ZERO,
      executedQty: tenths === 10 ? quantity : tenthsOf(quantity, tenths),
      executedQuoteQty: ZERO,
      status,
      createdAtMs: this.#nowMs,
      updatedAtMs: this.#nowMs,
      ...(prng.chance(0.3) ? { isTriggered: prng.chance(0.5) } : {}),
    };
  }

  #fill({ id, side, quantity }: KnownOrder): Fill {
    const prng = this.#prng;
    if (prng.chance(0.8)) this.#trades += 1;
    return {
      tradeId: `t${this.#trades}`,
      orderId: id,
      marketId: market.marketId,
      side,
      price: fixed("2000"),
      quantity: tenthsOf(quantity, prng.int(1, this.#isSane ? 5 : 12)),
      fee: fixed("0.001"),
      feeToken: prng.pick([market.baseToken, market.quoteToken]),
      isMaker: true,
      timeMs: this.#nowMs,
    };
  }

  #event(order: KnownOrder): Input {
    this.#block += 1;
    const isTrade = this.#prng.chance(0.4);
    const kinds = ["NEW", "CANCEL", "TRIGGER", "REJECTED"] as const;
    const event = {
      eventType: isTrade ? ("TRADE" as const) : this.#prng.pick(kinds),
      order: this.#report(order),
      fill: isTrade ? this.#fill(order) : undefined,
      blockNumber: this.#block,
      timeMs: this.#nowMs,
      txHash: order.id,
    };
    return { type: "orderEvent", event };
  }

  #depth(): Input {
    const prng = this.#prng;
    this.#lastId += 1;
    const move = prng.int(0, 3) / 10;
    const event = {
      marketId: market.marketId,
      firstId: prng.chance(0.03) ? this.#lastId + 5 : this.#lastId,
      finalId: this.#lastId,
      timeMs: this.#nowMs,
      bids: Float64Array.of(1999 + move, prng.pick([0, 5])),
      asks: Float64Array.of(2001 + move, 5),
    };
    return { type: "depth", event };
  }
}

function tenthsOf(quantity: Fixed, tenths: number): Fixed {
  return ((quantity / 10n) * BigInt(tenths)) as Fixed;
}
