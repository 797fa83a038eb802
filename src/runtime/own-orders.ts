import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import { isCommand, makesOrder, type OrderingCommand } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import { idsMadeBy } from "../domain/leg-ids.ts";
import type { Input } from "../kernel/input.ts";
import type { ObservedEntry } from "./observers.ts";

/** Ids remembered: far more than can be open at once. */
const REMEMBERED = 100_000;

/** Which strategy placed or adopted an order, legs included, for the newest orders of the run: tells own from foreign ones at the end. */
export class OwnOrders {
  readonly #strategies = new Map<OrderId, string>();
  readonly #oldest = new OldestKeyCursor(this.#strategies);
  readonly #placed = new Map<number, OrderingCommand>();
  #oldestMs = Number.POSITIVE_INFINITY;

  observe({ batch, effects }: Pick<ObservedEntry, "batch" | "effects">): void {
    this.#oldestMs = Math.min(this.#oldestMs, batch.nowMs);
    for (const input of batch.inputs) this.#input(input);
    for (const effect of effects) {
      if (isCommand(effect) && makesOrder(effect)) this.#placed.set(effect.intent, effect);
    }
  }

  strategyOf(orderId: OrderId): string | undefined {
    return this.#strategies.get(orderId);
  }

  /** About when the oldest of them was placed; the start of the run when no earlier one left any. */
  get oldestMs(): number {
    return this.#oldestMs;
  }

  #input(input: Input): void {
    if (input.type === "restored") {
      for (const { orderId, strategy, nonce } of input.restored.orders) {
        this.#add(orderId, strategy);
        // A time nonce tells its age; of any other nonce nothing does.
        this.#oldestMs = Math.min(this.#oldestMs, nonce);
      }
    } else if (input.type === "signed") {
      const command = this.#placed.get(input.intent);
      this.#placed.delete(input.intent);
      if (command === undefined) return;
      for (const id of idsMadeBy(command, input.txHash)) this.#add(id, command.strategy);
    }
  }

  #add(orderId: OrderId, strategy: string): void {
    this.#strategies.set(orderId, strategy);
    if (this.#strategies.size <= REMEMBERED) return;
    const oldest = this.#oldest.next();
    if (oldest !== undefined) this.#strategies.delete(oldest);
  }
}
