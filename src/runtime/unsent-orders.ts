import { counted } from "../base/counted.ts";
import type { Input } from "../kernel/input.ts";

const WARN_EVERY_MS = 60_000;

/** Warns of orders that the driver did not send because their step took too long (docs/decisions/032): at once, then at most once a minute. */
export class UnsentOrders {
  #warnAgainMs = Number.NEGATIVE_INFINITY;
  /** Orders since the last warning. */
  #more = 0;

  /** Takes the reason of each such order of a step. Returns the warning that is due. */
  add(reasons: readonly string[], nowMs: number): Input | undefined {
    const count = reasons.length;
    if (count === 0) return undefined;
    if (nowMs < this.#warnAgainMs) {
      this.#more += count;
      return undefined;
    }
    const more = this.#more === 0 ? "" : `, and ${this.#more} more since the last such warning`;
    this.#warnAgainMs = nowMs + WARN_EVERY_MS;
    this.#more = 0;
    const orders = `${counted(count, "order")} ${count === 1 ? "was" : "were"}`;
    return {
      type: "warning",
      code: "ORDERS_NOT_SENT",
      message: `${orders} not sent${more}: ${reasons.at(-1)}`,
    };
  }
}
