import { isCommand } from "../domain/command.ts";
import { happenedMs } from "../journal/latency-rows.ts";
import type { ObservedStep } from "../metrics/summary-fold.ts";

/** Upper bounds of the buckets, seconds; one more takes what is above. */
export const latencyBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const;

/** Samples by bucket, not added up, and their sum in seconds. */
export interface LatencyBuckets {
  readonly counts: readonly number[];
  readonly sum: number;
}

/** A step with the microseconds that each of its orders took. */
export interface MeasuredStep extends ObservedStep {
  readonly tickToOrder?: readonly { readonly us: number }[];
}

/** How long something takes, by bucket, since the bot's start. */
export interface Latencies {
  /** From a message of the venue to the order that it caused. */
  readonly tickToOrder: LatencyBuckets;
  /** From a trade or a depth event at the venue to the step that handled it. */
  readonly eventLag: LatencyBuckets;
  /** From the step that made a placement to the one that handled its response. */
  readonly orderRoundTrip: LatencyBuckets;
}

class Buckets implements LatencyBuckets {
  readonly counts: number[] = Array.from({ length: latencyBounds.length + 1 }, () => 0);
  sum = 0;

  add(seconds: number): void {
    const value = Math.max(0, seconds);
    const found = latencyBounds.findIndex((bound) => value <= bound);
    const at = found === -1 ? latencyBounds.length : found;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.sum += value;
  }
}

/** A placement without a response after this many later ones is left out. */
const MAX_OPEN = 1_000;

/** Measures the observed steps for the page's metrics. */
export class LatencyFold {
  readonly #tickToOrder = new Buckets();
  readonly #eventLag = new Buckets();
  readonly #orderRoundTrip = new Buckets();
  /** When placements without a response were made, by intent. */
  readonly #open = new Map<number, number>();
  #offsetMs: number | undefined;

  observe({ batch, effects, tickToOrder = [] }: MeasuredStep): void {
    for (const { us } of tickToOrder) this.#tickToOrder.add(us / 1e6);
    for (const input of batch.inputs) {
      if (input.type === "venueTime") this.#offsetMs = input.offsetMs;
      const atMs = happenedMs(input);
      if (atMs !== undefined && this.#offsetMs !== undefined) {
        this.#eventLag.add((batch.nowMs - (atMs - this.#offsetMs)) / 1000);
      }
      if (input.type !== "response") continue;
      const sentMs = this.#open.get(input.intent);
      if (sentMs !== undefined) this.#orderRoundTrip.add((batch.nowMs - sentMs) / 1000);
      this.#open.delete(input.intent);
    }
    for (const effect of effects) {
      if (!isCommand(effect) || effect.type !== "place") continue;
      const [oldest] = this.#open.keys();
      if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
      this.#open.set(effect.intent, batch.nowMs);
    }
  }

  get latencies(): Latencies {
    return {
      tickToOrder: this.#tickToOrder,
      eventLag: this.#eventLag,
      orderRoundTrip: this.#orderRoundTrip,
    };
  }
}
