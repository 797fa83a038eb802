import { isCommand, makesOrder } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Input } from "../kernel/input.ts";
import type { ObservedEntry } from "./observers.ts";

/** Ids remembered: far more than can be open at once. */
const REMEMBERED = 100_000;

/** Which strategy placed or adopted an order, for the newest orders of the run: tells own from foreign ones at the end. */
export class OwnOrders {
  readonly #strategies = new Map<OrderId, string>();
  readonly #placed = new Map<number, string>();

  observe({ batch, effects }: Pick<ObservedEntry, "batch" | "effects">): void {
    for (const input of batch.inputs) this.#input(input);
    for (const effect of effects) {
      if (isCommand(effect) && makesOrder(effect)) this.#placed.set(effect.intent, effect.strategy);
    }
  }

  strategyOf(orderId: OrderId): string | undefined {
    return this.#strategies.get(orderId);
  }

  #input(input: Input): void {
    if (input.type === "restored") {
      for (const { orderId, strategy } of input.restored.orders) this.#add(orderId, strategy);
    } else if (input.type === "signed") {
      const strategy = this.#placed.get(input.intent);
      this.#placed.delete(input.intent);
      if (strategy !== undefined) this.#add(input.txHash, strategy);
    }
  }

  #add(orderId: OrderId, strategy: string): void {
    this.#strategies.set(orderId, strategy);
    if (this.#strategies.size <= REMEMBERED) return;
    for (const oldest of this.#strategies.keys()) {
      this.#strategies.delete(oldest);
      break;
    }
  }
}
