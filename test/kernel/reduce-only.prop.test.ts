import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { fixed, fixedText, fixedToNumber } from "../../src/domain/fixed.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import { triggersSchema } from "../../src/risk/settings.ts";
import type { Decision, WantedQuote } from "../../src/strategy/contract.ts";
import { unwatched, Harness } from "./harness.ts";
import { saneDecision } from "./wild-strategy.ts";
import { runs } from "../support/soak.ts";

interface Open {
  readonly side: "BUY" | "SELL";
  readonly quantity: number;
  executed: number;
  readonly isAfter: boolean;
}

/** A decision without legs and stop orders, which this venue does not know. */
function plain(decision: Decision): Decision {
  if (decision.type !== "set") return decision;
  const bare = ({ price, size }: WantedQuote): WantedQuote => ({ price, size });
  return { ...decision, bids: decision.bids.map(bare), asks: decision.asks.map(bare), stops: [] };
}

/** A venue that confirms every cancel at once and fills orders at random, whole or half. */
class Game {
  readonly bot: Harness;
  readonly #prng: Prng;
  readonly #open = new Map<number, Open>();
  position = 0;
  fillsAfter = 0;
  #trades = 0;
  #updates = 100;

  constructor(seed: number) {
    this.#prng = new Prng(seed);
    this.bot = new Harness({
      decide: (view) => plain(saneDecision(this.#prng, view)),
      config: {
        rate: { perSecond: 1_000, burst: 1_000, concurrency: 8 },
        timing: unwatched,
        ladder: {
          bot: triggersSchema("bot").parse({ position: { reduceOnly: "3000" } }),
          strategies: {},
          widenBy: 2,
        },
      },
    });
    this.#follow(this.bot.begin());
  }

  get #isReduceOnly(): boolean {
    return this.bot.notes.some((note) => note.type === "risk");
  }

  /** A moment in which the book changes or one order is filled. */
  play(): void {
    const fillable = [...this.#open].filter(([, { executed, quantity }]) => executed < quantity);
    if (fillable.length > 0 && this.#prng.chance(0.5)) {
      const [intent, order] = this.#prng.pick(fillable);
      this.#fill(intent, order);
    } else {
      this.#updates += 1;
      const book = this.bot.depth(this.#updates, [1950, 1 + (this.#updates % 2)], []);
      this.#follow(this.bot.after(200, book));
    }
  }

  #fill(intent: number, order: Open): void {
    const before = this.position;
    const left = order.quantity - order.executed;
    const quantity = this.#prng.chance(0.5) ? left : left / 2;
    order.executed += quantity;
    this.position += order.side === "BUY" ? quantity : -quantity;
    if (order.isAfter) {
      this.fillsAfter += 1;
      expect(Math.abs(this.position)).toBeLessThanOrEqual(Math.abs(before));
      expect(this.position * before).toBeGreaterThanOrEqual(0);
    }
    this.#trades += 1;
    const isDone = order.executed === order.quantity;
    const event = this.bot.event(intent, isDone ? "FILLED" : "PARTIALLY_FILLED", {
      quantity: String(quantity),
      tradeId: String(this.#trades),
    });
    if (event.type !== "orderEvent") throw new Error("an order event");
    const executedQty = fixed(String(order.executed));
    const report = { ...event.event.order, executedQty };
    if (isDone) this.#open.delete(intent);
    this.#follow(this.bot.step({ ...event, event: { ...event.event, order: report } }));
  }

  #follow(effects: readonly Effect[]): void {
    const isAfter = this.#isReduceOnly;
    for (const effect of effects) {
      if (effect.type !== "place") continue;
      const { intent, side, quantity } = effect;
      this.#open.set(intent, { side, quantity: fixedToNumber(quantity), executed: 0, isAfter });
      expect(fixedText(quantity)).not.toBe("0");
      this.#follow(this.bot.step(this.bot.accepted(intent), this.bot.event(intent, "NEW")));
    }
    for (const effect of effects) {
      if (effect.type !== "cancel") continue;
      for (const intent of this.#open.keys()) {
        if (this.bot.ids.get(intent) !== effect.orderId) continue;
        this.#open.delete(intent);
        this.#follow(
          this.bot.step(this.bot.accepted(effect.intent), this.bot.event(intent, "CANCELED")),
        );
      }
    }
  }
}

describe("reduce only", () => {
  it("places nothing that could bring the position further from 0 or beyond it", () => {
    let fills = 0;
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const game = new Game(seed);
        for (let moment = 0; moment < 150; moment += 1) game.play();
        fills += game.fillsAfter;
      }),
      runs(60),
    );
    expect(fills).toBeGreaterThan(0);
  });
});
