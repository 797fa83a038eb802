import { fixed, fixedFromNumber, ZERO } from "../../src/domain/fixed.ts";
import { addressOf, marketId, orderId, type OrderId, tokenId } from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import type { OrderReport } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import { defaultTiming, type StrategyBinding } from "../../src/kernel/config.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { Kernel } from "../../src/kernel/kernel.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { kernelConfig } from "../../src/runtime/kernel-config.ts";

const START_MS = 1_767_225_600_000;
const owner = known(addressOf(`0x${"11".repeat(20)}`));
const id = marketId("1", "2");
const market: Market = {
  marketId: id,
  baseToken: tokenId("1"),
  quoteToken: tokenId("2"),
  ticker: "BASE/QUOTE",
  makerFee: fixed("0.0002"),
  takerFee: fixed("0.0005"),
  listed: true,
  rules: { type: "grid" },
};
/** Levels on each side of the book, a tick of 10 apart around 60,000. */
const LEVELS = 100;
const never = Number.POSITIVE_INFINITY;

/**
 * A kernel with one strategy whose orders rest. Each step changes the size of a far level by one depth event, 50 ms after the
 * step before, so the strategy decides, and all its orders stay.
 */
export class DecisionKernel {
  readonly #kernel: Kernel;
  #seq = 0;
  #nowMs = START_MS;
  #updateId = 1;
  #block = 1;
  readonly #live = new Map<OrderId, OrderReport>();
  /** Orders that were placed. */
  commands = 0;

  constructor(strategy: Pick<StrategyBinding, "definition" | "params">) {
    const settings = {
      execution: { useModify: false },
      strategies: [{ name: "quotes", marketId: id, seed: 1, ...strategy }],
      rateLimit: { perSecond: 100_000, burst: 1_000, concurrency: 64 },
      risk: riskSchema.parse({
        staleBook: "10s",
        priceCollar: "5%",
        maxOrderSize: "100",
        maxPosition: "1000",
        maxOpenOrders: 50,
      }),
      // The venue of this bench sends neither snapshots nor answers about facts in doubt.
      timing: { ...defaultTiming, channelCheckMs: never, driftMs: never },
    };
    this.#kernel = new Kernel(kernelConfig(settings, "run", { owner, markets: [market] }));
    this.#batch([{ type: "stream", state: "opened", reason: "" }]);
    for (let at = 0; at < 50; at += 1) this.step();
  }

  /** Number of own orders that rest. */
  get resting(): number {
    return this.#live.size;
  }

  /** One depth event, and what follows from it. */
  step(): void {
    this.#nowMs += 50;
    this.#updateId += 1;
    const price = 60_000 - 10 * (LEVELS - (this.#updateId % 20));
    const event = {
      marketId: id,
      firstId: this.#updateId,
      finalId: this.#updateId,
      timeMs: unixMs(this.#nowMs),
      bids: Float64Array.of(price, 1 + (this.#updateId % 7)),
      asks: new Float64Array(0),
    };
    this.#batch([{ type: "depth", event }]);
  }

  #batch(inputs: readonly Input[]): void {
    let next = inputs;
    while (next.length > 0) {
      this.#seq += 1;
      const nowMs = unixMs(this.#nowMs);
      const { effects } = this.#kernel.step({ seq: this.#seq, nowMs, inputs: next });
      if (effects.length === 0) return;
      next = effects.flatMap((effect) => this.#answer(effect));
    }
  }

  #answer(effect: Effect): readonly Input[] {
    if (effect.type === "place") {
      this.commands += 1;
      const hash = known(orderId(`0x${this.commands.toString(16).padStart(64, "0")}`));
      const { intent, side, price, quantity } = effect;
      const order: OrderReport = {
        orderId: hash,
        account: owner,
        marketId: id,
        side,
        orderType: "LIMIT",
        orderMode: 0,
        price: fixedFromNumber(price),
        origQty: quantity,
        origQuoteOrderQty: ZERO,
        executedQty: ZERO,
        executedQuoteQty: ZERO,
        status: "NEW",
        createdAtMs: unixMs(this.#nowMs),
        updatedAtMs: unixMs(this.#nowMs),
      };
      this.#live.set(hash, order);
      this.#block += 1;
      const timeMs = unixMs(this.#nowMs);
      return [
        { type: "signed", intent, txHash: hash },
        { type: "response", intent, outcome: { type: "accepted" } },
        {
          type: "orderEvent",
          event: {
            eventType: "NEW",
            order,
            fill: undefined,
            blockNumber: this.#block,
            timeMs,
            txHash: hash,
          },
        },
      ];
    }
    return this.#read(effect);
  }

  #read(read: Exclude<Effect, { readonly type: "place" }>): readonly Input[] {
    switch (read.type) {
      case "venueTime":
        return [{ type: "venueTime", offsetMs: 0, roundTripMs: 1 }];
      case "openOrders":
        return [{ type: "openOrders", orders: [...this.#live.values()] }];
      case "fills":
        return [{ type: "fills", fills: [] }];
      case "balances":
        return [this.#balances()];
      case "book":
        return [{ type: "book", snapshot: this.#snapshot() }];
      default:
        throw new Error(`the kernel asked for ${read.type}`);
    }
  }

  #balances(): Input {
    const total = fixed("1000000000");
    return {
      type: "balances",
      blockNumber: this.#block,
      balances: [market.baseToken, market.quoteToken].map((token) => ({
        tokenId: token,
        locked: ZERO,
        unlocked: total,
      })),
    };
  }

  #snapshot() {
    const bids: number[] = [];
    const asks: number[] = [];
    for (let level = 1; level <= LEVELS; level += 1) {
      bids.push(60_000 - 10 * level, 2);
      asks.push(60_000 + 10 * level, 2);
    }
    return {
      marketId: id,
      lastId: this.#updateId,
      timeMs: unixMs(this.#nowMs),
      bids: Float64Array.from(bids),
      asks: Float64Array.from(asks),
    };
  }
}

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("not an address or a hash");
  return value;
}
