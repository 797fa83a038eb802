import { type QueueModel, riskAverseQueue } from "../exchange/queue-model.ts";

/** The configuration's `models.fills`. */
export interface FillSettings {
  readonly queue: QueueName;
  /** n of the queue `power`. */
  readonly exponent: number;
  /** False: an order that is reached is filled whole. */
  readonly partialFills: boolean;
}

export const queueNames = ["risk-averse", "uniform", "power", "log", "trade-through"] as const;
export type QueueName = (typeof queueNames)[number];

export const defaultFills: FillSettings = {
  queue: "risk-averse",
  exponent: 3,
  partialFills: true,
};

/** The queue model of these settings. */
export function queueModel({ queue, exponent, partialFills }: FillSettings): QueueModel {
  return { ...queueOf(queue, exponent), fillsInPart: partialFills };
}

function queueOf(queue: QueueName, exponent: number): QueueModel {
  switch (queue) {
    case "risk-averse":
      return riskAverseQueue;
    case "uniform":
      return probabilityQueue((quantity) => quantity);
    case "power":
      return probabilityQueue((quantity) => quantity ** exponent);
    case "log":
      return probabilityQueue((quantity) => Math.log(1 + quantity));
    case "trade-through":
      return { ...riskAverseQueue, fillsAtPrice: false };
  }
}

/**
 * A decrease without a trade lies behind the order with the probability p = f(back) ÷ (f(back) + f(front)), where `front` and `back` are the
 * quantities before and behind it. With Δ the decrease, the front becomes front − (1 − p)Δ + min(back − pΔ, 0), and at most what is left. The
 * formulas are those of hftbacktest's `ProbQueueModel`: f(x) = xⁿ is its `PowerProbQueueFunc`, f(x) = ln(1 + x) its
 * `LogProbQueueFunc`, and f(x) = x spreads the decrease evenly over the queue (Rigtorp, "Estimating order queue position", 2013). Where f
 * leaves the range of doubles, the whole decrease comes from the longer part.
 */
function probabilityQueue(f: (quantity: number) => number): QueueModel {
  return {
    ...riskAverseQueue,
    frontAfter(front, before, after) {
      const decrease = before - after;
      const back = before - front;
      const [ofBack, ofFront] = [f(back), f(front)];
      const isInRange = ofBack + ofFront > 0 && Number.isFinite(ofBack + ofFront);
      const behind = isInRange ? ofBack / (ofBack + ofFront) : Number(back > front);
      return front - (1 - behind) * decrease + Math.min(back - behind * decrease, 0);
    },
  };
}
