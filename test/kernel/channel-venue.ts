import { fixedToNumber, ZERO } from "../../src/domain/fixed.ts";
import type { Fill, OrderReport } from "../../src/domain/order.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { KernelConfig } from "../../src/kernel/config.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Decision } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { Harness, market } from "./harness.ts";

const TICK_MS = 100;
const { marketId } = market;

/** A part of the venue that may be dead: its channels, or all reads over REST. */
export type Part = "depth" | "snapshots" | "user" | "trades" | "reads";

/** A bot at a venue with one market, each of whose channels can die. A response takes one tick, as does a message. */
export class ChannelVenue {
  readonly bot: Harness;
  readonly dead = new Set<Part>();
  readonly effects: { readonly atMs: number; readonly effect: Effect }[] = [];
  /** Whether anything in the market changes. */
  isQuiet = false;
  /** Whether depth events have other quantities than the book. */
  isWrong = false;
  #lastId = 100;
  #trades = 0;
  readonly #levels = { BUY: new Map([[1999, 5]]), SELL: new Map([[2001, 5]]) };
  readonly #open = new Map<OrderId, OrderReport>();
  readonly #ended = new Map<OrderId, OrderReport>();
  readonly #fills: Fill[] = [];
  #next: Input[] = [];

  constructor(decide: (view: MarketView) => Decision, config: Partial<KernelConfig> = {}) {
    this.bot = new Harness({ decide, config });
    this.#follow(this.bot.begin());
  }

  /** The venue's resting orders of the bot, as `side price`. */
  get resting(): string[] {
    return [...this.#open.values()].map(({ side, price }) => `${side} ${fixedToNumber(price)}`);
  }

  get nowMs(): number {
    return this.bot.nowMs;
  }

  /** Effects of these types since a time. */
  since(atMs: number, ...types: Effect["type"][]): Effect[] {
    return this.effects
      .filter(({ atMs: at, effect }) => at >= atMs && types.includes(effect.type))
      .map(({ effect }) => effect);
  }

  run(ms: number): this {
    for (let passed = 0; passed < ms; passed += TICK_MS) {
      const inputs = this.#next;
      this.#next = [];
      this.bot.nowMs += TICK_MS;
      if (this.bot.nowMs % 500 === 0) {
        if (!this.isQuiet) this.#change("BUY", 1900, (this.#lastId % 7) + 1);
        this.#push("snapshots", this.#snapshot("depthAudit"));
        if (!this.isQuiet) this.#publicTrade("0xf0" as OrderId);
      }
      const alive = { type: "stream", state: "alive", reason: "" } as const;
      this.#follow(this.bot.step(alive, ...inputs));
    }
    return this;
  }

  /** Moves the touch by this much. */
  move(by: number): void {
    for (const side of ["BUY", "SELL"] as const) {
      const [before] = [...this.#levels[side]].find(([, quantity]) => quantity === 5) ?? [0];
      this.#change(side, before, 0);
      this.#change(side, before + by, 5);
    }
  }

  /** Fills the bot's newest resting order of a side whole. */
  fill(side: "BUY" | "SELL"): void {
    const order = [...this.#open.values()].findLast((one) => one.side === side);
    if (order === undefined) throw new Error("no order");
    this.#trades += 1;
    const { orderId, price, origQty } = order;
    const fill: Fill = {
      tradeId: `t${this.#trades}`,
      orderId,
      marketId,
      side,
      price,
      quantity: origQty,
      fee: ZERO,
      feeToken: side === "BUY" ? market.baseToken : market.quoteToken,
      isMaker: true,
      timeMs: unixMs(this.nowMs),
    };
    this.#fills.unshift(fill);
    this.#end(order, "FILLED", fill);
    this.#publicTrade(orderId, fixedToNumber(price), fill.tradeId);
  }

  #follow(effects: readonly Effect[]): void {
    for (const effect of effects) {
      this.effects.push({ atMs: this.nowMs, effect });
      this.#answer(effect);
    }
  }

  #answer(effect: Effect): void {
    switch (effect.type) {
      case "place": {
        const id = this.bot.ids.get(effect.intent);
        if (id === undefined) throw new Error("signed in the same step");
        const report = this.bot.report(effect.intent, "NEW");
        this.#open.set(id, report);
        this.#next.push(this.bot.accepted(effect.intent));
        this.#tell(report, "NEW");
        this.#change(effect.side, effect.price, this.#at(effect.side, effect.price) + 1);
        return;
      }
      case "cancel": {
        const order = this.#open.get(effect.orderId);
        this.#next.push(this.bot.accepted(effect.intent));
        if (order !== undefined) this.#end(order, "CANCELED");
        return;
      }
      case "resubscribe":
        this.#next.push({ type: "resubscribed", channel: effect.channel });
        return;
      case "reconnect":
        this.#next.push(
          { type: "stream", state: "closed", reason: "" },
          { type: "stream", state: "opened", reason: "" },
        );
        return;
      default:
        this.#read(effect);
    }
  }

  #read(effect: Effect): void {
    if (this.dead.has("reads") && effect.type !== "tokens") {
      const key =
        "marketId" in effect ? effect.marketId : "orderId" in effect ? effect.orderId : "";
      this.#next.push({
        type: "readFailed",
        read: effect.type as "book",
        key: key ?? "",
        message: "503",
        reason: "unavailable",
        retryAfterMs: undefined,
      });
      return;
    }
    if (effect.type === "book") this.#next.push(this.#snapshot("book"));
    if (effect.type === "openOrders") {
      this.#next.push({ type: "openOrders", orders: [...this.#open.values()] });
    }
    if (effect.type === "fills") this.#next.push({ type: "fills", fills: [...this.#fills] });
    if (effect.type === "balances") this.#next.push(this.bot.balances());
    if (effect.type === "markets") this.#next.push({ type: "markets", markets: [market] });
    if (effect.type === "transfers") this.#next.push({ type: "transfers", transfers: [] });
    if (effect.type === "venueTime") {
      this.#next.push({ type: "venueTime", offsetMs: 0, roundTripMs: 1 });
    }
    if (effect.type !== "order") return;
    const { orderId } = effect;
    const report = this.#open.get(orderId) ?? this.#ended.get(orderId) ?? "absent";
    this.#next.push({ type: "order", orderId, report });
  }

  #at(side: "BUY" | "SELL", price: number): number {
    return this.#levels[side].get(price) ?? 0;
  }

  #change(side: "BUY" | "SELL", price: number, quantity: number): void {
    if (quantity <= 0) this.#levels[side].delete(price);
    else this.#levels[side].set(price, quantity);
    this.#lastId += 1;
    const changed = [price, Math.max(0, quantity) + (this.isWrong ? 1 : 0)];
    const event = this.bot.depth(
      this.#lastId,
      side === "BUY" ? changed : [],
      side === "SELL" ? changed : [],
    );
    this.#push("depth", event);
  }

  #end(order: OrderReport, status: "FILLED" | "CANCELED", fill?: Fill): void {
    const executedQty = status === "FILLED" ? order.origQty : ZERO;
    const report = { ...order, status, executedQty, updatedAtMs: unixMs(this.nowMs) };
    this.#open.delete(order.orderId);
    this.#ended.set(order.orderId, report);
    const { side, price } = order;
    const at = fixedToNumber(price);
    this.#change(side, at, this.#at(side, at) - 1);
    this.#tell(report, status === "FILLED" ? "TRADE" : "CANCEL", fill);
  }

  #tell(order: OrderReport, eventType: "NEW" | "TRADE" | "CANCEL", fill?: Fill): void {
    this.bot.block += 1;
    this.#push("user", {
      type: "orderEvent",
      event: {
        eventType,
        order,
        fill,
        blockNumber: this.bot.block,
        timeMs: unixMs(this.nowMs),
        txHash: order.orderId,
      },
    });
  }

  #publicTrade(orderId: OrderId, price = 2000, tradeId = `p${this.#lastId}`): void {
    this.#push("trades", {
      type: "trade",
      trade: {
        marketId,
        tradeId,
        price,
        quantity: 1,
        timeMs: unixMs(this.nowMs),
        isBuyerMaker: true,
        buyOrderId: orderId,
      },
    });
  }

  #snapshot<Type extends "book" | "depthAudit">(type: Type): Input {
    const flat = (side: "BUY" | "SELL", sign: number): Float64Array =>
      Float64Array.from([...this.#levels[side]].sort(([a], [b]) => sign * (a - b)).flat());
    const timeMs = unixMs(this.nowMs);
    const snapshot = {
      marketId,
      lastId: this.#lastId,
      timeMs,
      bids: flat("BUY", -1),
      asks: flat("SELL", 1),
    };
    return { type, snapshot };
  }

  #push(part: Part, input: Input): void {
    if (!this.dead.has(part)) this.#next.push(input);
  }
}
