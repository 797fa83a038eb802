import {
  type CancelCommand,
  isCommand,
  makesOrder,
  type OrderingCommand,
  type PlaceCommand,
} from "../../src/domain/command.ts";
import { fixed, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import { orderId, tokensOf, type Address, type OrderId } from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import type { OrderEvent, OrderReport, OrderStatus } from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Mode } from "../../src/config/bot-key.ts";
import { defaultTiming, type KernelConfig, type KernelTiming } from "../../src/kernel/config.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { CarriedItem, Input } from "../../src/kernel/input.ts";
import { Kernel, type Step } from "../../src/kernel/kernel.ts";
import type { Note } from "../../src/kernel/note.ts";
import { placedBy } from "../../src/metrics/counters.ts";
import type { OrderSnapshot } from "../../src/orders/order-snapshot.ts";
import type { Decision, StrategyDefinition } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { z } from "zod";
import { testMarket } from "../support/exchange.ts";
import { testKernelConfig } from "../support/kernel-config.ts";

export const market: Market = testMarket();
export const owner = `0x${"aa".repeat(20)}` as Address;
export const start = 1_767_225_600_000;

/** For a venue that is silent for longer than channels may be, and whose balances stay: neither is watched. */
export const unwatched: KernelTiming = {
  ...defaultTiming,
  channelCheckMs: Number.POSITIVE_INFINITY,
  driftMs: Number.POSITIVE_INFINITY,
};

/** A strategy whose decision a test sets. */
export function scripted(decide: (view: MarketView) => Decision): StrategyDefinition {
  return {
    name: "scripted",
    params: z.unknown(),
    init: () => ({}),
    decide: ({ view }) => decide(view),
  };
}

export interface HarnessOptions {
  readonly decide: (view: MarketView) => Decision;
  readonly config?: Partial<KernelConfig>;
  /** Default `run`. */
  readonly mode?: Mode;
}

/** Drives a kernel by hand with batches, and gives the few responses that every test needs. */
export class Harness {
  readonly kernel: Kernel;
  nowMs = start;
  seq = 0;
  block = 0;
  readonly notes: Note[] = [];
  /** What the steps left to the next run. */
  readonly carried: CarriedItem[] = [];
  /** Placed orders by intent, with the id that `sign` gave them. */
  readonly ids = new Map<number, OrderId>();
  readonly places = new Map<number, Placed>();
  last: Step = {
    effects: [],
    ended: [],
    booked: [],
    signerRefused: false,
    carried: [],
    notes: [],
  };

  constructor(options: HarnessOptions) {
    const definition = scripted(options.decide);
    const { marketId } = market;
    const set = {
      owner,
      markets: [market],
      strategies: [{ name: "maker", definition, params: {}, marketId, seed: 1 }],
      ...options.config,
    };
    this.kernel = new Kernel(testKernelConfig(options.mode ?? "run", set));
  }

  /** Steps one batch. Its commands are signed in the next one, as the driver does. */
  step(...inputs: Input[]): readonly Effect[] {
    this.seq += 1;
    this.last = this.kernel.step({ seq: this.seq, nowMs: unixMs(this.nowMs), inputs });
    this.notes.push(...this.last.notes);
    this.carried.push(...this.last.carried);
    const { effects } = this.last;
    const signed: Input[] = [];
    for (const effect of effects) {
      if (!isCommand(effect)) continue;
      const txHash = hashOf(effect.intent);
      if (makesOrder(effect)) {
        this.ids.set(effect.intent, txHash);
        this.places.set(effect.intent, orderOf(effect));
      }
      signed.push({ type: "signed", intent: effect.intent, txHash });
    }
    if (signed.length > 0) return [...effects, ...this.step(...signed)];
    return effects;
  }

  after(delayMs: number, ...inputs: Input[]): readonly Effect[] {
    this.nowMs += delayMs;
    return this.step(...inputs);
  }

  /** Feeds everything that a bot needs before it quotes, with a book of one level a side. */
  begin(
    book: { bid: number; ask: number } = { bid: 1999, ask: 2001 },
    balances = this.balances(),
  ): readonly Effect[] {
    this.step();
    this.step(
      { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
      { type: "stream", state: "opened", reason: "" },
    );
    this.step({ type: "openOrders", orders: [] }, balances);
    return this.step(this.snapshot(book.bid, book.ask));
  }

  balances(base = "100", quote = "1000000"): Input {
    this.block += 1;
    return {
      type: "balances",
      blockNumber: this.block,
      balances: [
        { tokenId: market.baseToken, locked: ZERO, unlocked: fixed(base) },
        { tokenId: market.quoteToken, locked: ZERO, unlocked: fixed(quote) },
      ],
    };
  }

  snapshot(bid: number, ask: number, lastId = 100, { marketId } = market): Input {
    return {
      type: "book",
      snapshot: {
        marketId,
        lastId,
        timeMs: unixMs(this.nowMs),
        bids: Float64Array.of(bid, 5),
        asks: Float64Array.of(ask, 5),
      },
    };
  }

  depth(firstId: number, bids: number[], asks: number[], { marketId } = market): Input {
    return {
      type: "depth",
      event: {
        marketId,
        firstId,
        finalId: firstId,
        timeMs: unixMs(this.nowMs),
        bids: Float64Array.from(bids),
        asks: Float64Array.from(asks),
      },
    };
  }

  accepted(intent: number): Input {
    return { type: "response", intent, outcome: { type: "accepted" } };
  }

  /** An event of the venue about a placement. */
  event(intent: number, status: OrderStatus, fill?: { quantity: string; tradeId: string }): Input {
    const report = this.report(intent, status, fill?.quantity ?? "0");
    this.block += 1;
    const eventType =
      fill !== undefined
        ? "TRADE"
        : status === "CANCELED"
          ? "CANCEL"
          : status === "REJECTED"
            ? "REJECTED"
            : "NEW";
    const event: OrderEvent = {
      eventType,
      order: report,
      fill:
        fill === undefined
          ? undefined
          : {
              tradeId: fill.tradeId,
              orderId: report.orderId,
              marketId: report.marketId,
              side: report.side,
              price: report.price,
              quantity: fixed(fill.quantity),
              fee: ZERO,
              feeToken: tokensOf(report.marketId)[report.side === "BUY" ? "base" : "quote"],
              isMaker: true,
              timeMs: unixMs(this.nowMs),
            },
      blockNumber: this.block,
      timeMs: unixMs(this.nowMs),
      txHash: report.orderId,
    };
    return { type: "orderEvent", event };
  }

  report(intent: number, status: OrderStatus, executed = "0"): OrderReport {
    const placed = this.places.get(intent);
    const id = this.ids.get(intent);
    if (placed === undefined || id === undefined) throw new Error(`no placement ${intent}`);
    return {
      orderId: id,
      account: owner,
      marketId: placed.marketId,
      side: placed.side,
      orderType: "LIMIT",
      orderMode: 0,
      price: fixed(String(placed.price)),
      origQty: placed.quantity,
      origQuoteOrderQty: ZERO,
      executedQty: fixed(executed),
      executedQuoteQty: ZERO,
      status,
      createdAtMs: unixMs(this.nowMs),
      updatedAtMs: unixMs(this.nowMs),
    };
  }
}

type Placed = Pick<PlaceCommand, "marketId" | "side" | "price" | "quantity">;

function orderOf(command: OrderingCommand): Placed {
  if (command.type !== "modify") return command;
  const { marketId, side, newPrice: price, newQty: quantity } = command;
  return { marketId, side, price, quantity };
}

export function hashOf(intent: number): OrderId {
  const id = orderId(`0x${intent.toString(16).padStart(64, "0")}`);
  if (id === undefined) throw new Error("a hash");
  return id;
}

/** The venue's report of an open bid, 1 at 1990, as a list or a query has it. */
export function bidReport(id: OrderId, createdAtMs: number): OrderReport {
  return {
    orderId: id,
    account: owner,
    marketId: market.marketId,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: fixed("1990"),
    origQty: fixed("1"),
    origQuoteOrderQty: ZERO,
    executedQty: ZERO,
    executedQuoteQty: ZERO,
    status: "NEW",
    createdAtMs: unixMs(createdAtMs),
    updatedAtMs: unixMs(createdAtMs),
  };
}

export function placesOf(
  effects: readonly Effect[],
): { side: Side; price: number; quantity: Fixed; intent: number; nonce: number }[] {
  return effects.flatMap((effect) => (effect.type === "place" ? [effect] : []));
}

export function cancelsOf(effects: readonly Effect[]): OrderId[] {
  return cancelCommandsOf(effects).map(({ orderId: id }) => id);
}

export function cancelCommandsOf(effects: readonly Effect[]): CancelCommand[] {
  return effects.flatMap((effect) => (effect.type === "cancel" ? [effect] : []));
}

/** `original → newPrice` of each modify. */
export function modifiesOf(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) =>
    effect.type === "modify" ? [`${Number(effect.orderId)} → ${effect.newPrice}`] : [],
  );
}

export function readsOf(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) =>
    ["place", "stop", "modify", "cancel", "finished"].includes(effect.type) ? [] : [effect.type],
  );
}

/** Orders that were placed on their own: neither adopted nor legs. */
export function placedIn(notes: readonly Note[]): readonly OrderSnapshot[] {
  return notes.flatMap((note) => ("strategy" in note ? (placedBy(note) ?? []) : []));
}
