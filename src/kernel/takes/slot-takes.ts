import { addFixed, fixed, fixedText, mulFixed, ZERO, type Fixed } from "../../domain/fixed.ts";
import { tokensOf } from "../../domain/ids.ts";
import type { MarketRules } from "../../domain/market-rules.ts";
import type { Fill } from "../../domain/order.ts";
import type { CarriedTake } from "../../orders/carried.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { SetDecision } from "../../strategy/contract.ts";
import { NamedOrders, type NamedKind } from "../named-orders.ts";
import {
  noTakes,
  type TargetClip,
  type TargetTake,
  type TargetWork,
  targetTakes,
  targetWork,
  WORK_TO,
} from "./target-takes.ts";

/** What the fills of a name's order exchanged. */
export interface Traded {
  /** Base token. */
  readonly base: Fixed;
  /** Quote token. */
  readonly quote: Fixed;
  /** In quote token: a fee in base token counts at its fill's price. */
  readonly fees: Fixed;
}

const takeNames: NamedKind = {
  nameOf: ({ take }) => take?.name,
  // The venue had it: what it did not trade is not sent again either.
  isUsedUp: ({ status, executed }) =>
    executed > ZERO || (status !== undefined && status !== "REJECTED"),
};

const nothing: Traded = { base: ZERO, quote: ZERO, fees: ZERO };

/** The takes of a strategy in a market: those of its newest decision, and what became of their names. */
export class SlotTakes {
  wanted: readonly TargetTake[] = noTakes;
  #work: TargetWork | undefined;
  /** Comes before `work` while the position is worked off. */
  flatten: TargetWork | undefined;
  readonly records = new NamedOrders(takeNames);
  /** The newest take that the work towards a position needs, and when one was last sent. */
  clip: TargetClip | undefined;
  clipMs = Number.NEGATIVE_INFINITY;
  readonly #traded = new Map<string, Traded>();
  #mayHaveChanged = false;
  #saved = "[]";

  /** The position to work to. */
  get work(): TargetWork | undefined {
    return this.flatten ?? this.#work;
  }

  /** Nothing is wanted, and no order is live. */
  get isIdle(): boolean {
    return this.wanted.length === 0 && this.work === undefined && this.records.size === 0;
  }

  /** Throws TypeError for what the contract does not allow. */
  setTargets(decision: SetDecision, rules: MarketRules, nowMs: number): void {
    const wanted = targetTakes(decision, rules);
    this.#work = targetWork(decision, rules);
    this.wanted = wanted;
    if (this.isIdle) return;
    this.records.applyTargets(
      this.work === undefined ? wanted : [...wanted, { name: WORK_TO }],
      nowMs,
    );
    for (const name of this.#traded.keys()) {
      if (this.records.get(name) === undefined) this.#traded.delete(name);
    }
    this.#mayHaveChanged = true;
  }

  /** Nothing is wanted until the next decision. Names stay used up. */
  drop(): void {
    this.wanted = noTakes;
    this.#work = undefined;
  }

  /** The newest order of its name, of this run or an earlier one. Ignores orders that are no takes. */
  track(order: TrackedOrder): void {
    if (order.take === undefined) return;
    this.records.track(order);
    this.#traded.delete(order.take.name);
    this.#mayHaveChanged = true;
  }

  follow(...[change, nowMs, timing]: Parameters<NamedOrders["follow"]>): void {
    if (change.order.take === undefined) return;
    this.records.follow(change, nowMs, timing);
    this.#mayHaveChanged = true;
  }

  noteFill({ marketId, quantity, price, fee, feeToken }: Fill, { take }: TrackedOrder): void {
    if (take === undefined) return;
    const { base, quote, fees } = this.traded(take.name);
    const feeInQuote = feeToken === tokensOf(marketId).base ? mulFixed(fee, price) : fee;
    this.#traded.set(take.name, {
      base: addFixed(base, quantity),
      quote: addFixed(quote, mulFixed(price, quantity)),
      fees: addFixed(fees, feeInQuote),
    });
    this.#mayHaveChanged = true;
  }

  traded(name: string): Traded {
    return this.#traded.get(name) ?? nothing;
  }

  /** The names that are used, when they have changed since the last call; undefined otherwise. */
  takeChanged(): readonly CarriedTake[] | undefined {
    if (!this.#mayHaveChanged) return undefined;
    this.#mayHaveChanged = false;
    const used = [...this.records.entries()].flatMap(([name, { order, isOver }]) => {
      const isUsed = isOver || (order !== undefined && order.phase !== "ended");
      if (!isUsed || name === WORK_TO) return [];
      const { base, quote, fees } = this.traded(name);
      return [{ name, base: fixedText(base), quote: fixedText(quote), fees: fixedText(fees) }];
    });
    const text = JSON.stringify(used);
    if (text === this.#saved) return undefined;
    this.#saved = text;
    return used;
  }

  /** Continues with the names that an earlier run used, after its open orders were tracked. */
  restore(used: readonly CarriedTake[]): void {
    for (const { name, base, quote, fees } of used) {
      const record = this.records.of(name);
      record.isOver = record.order === undefined;
      this.#traded.set(name, { base: fixed(base), quote: fixed(quote), fees: fixed(fees) });
    }
    this.#saved = JSON.stringify(used);
  }
}
