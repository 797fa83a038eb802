import { assert } from "../base/assert.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import { type Cluster, ClusteredMean, type Estimate } from "./clustered-mean.ts";

/** What a markout is measured from: the mid just before the fill, or the fill's price. */
const bases = ["midToMid", "fillToMid"] as const;
export type MarkoutBasis = (typeof bases)[number];
type ByBasis<Value> = Readonly<Record<MarkoutBasis, Value>>;

/** An own fill as markouts see it. */
export interface MarkoutFill {
  readonly orderId: OrderId;
  readonly side: Side;
  readonly price: number;
  readonly quantity: number;
  readonly timeMs: number;
}

/** A fill of which a markout is not yet due, with its order's clusters by horizon. */
interface Waiting {
  readonly fill: MarkoutFill;
  readonly from: ByBasis<number>;
  readonly clusters: readonly ByBasis<Cluster>[];
  readonly settled: MarkoutListener | undefined;
}

/** Called when a fill is as old as a horizon, with the mid of that time. */
export type MarkoutListener = (horizonMs: number, laterMid: number) => void;

interface Horizon {
  readonly horizonMs: number;
  /** The first fill that is not settled. */
  next: number;
  readonly sides: Readonly<Record<Side, ByBasis<ClusteredMean>>>;
}

/** Mean markouts in basis points, and the number of orders whose fills they average. */
export interface MarkoutFigures extends ByBasis<Estimate> {
  readonly orders: number;
}

/** Mean markouts at one horizon, each undefined when no such fill is as old as the horizon. */
export interface Markout {
  readonly horizonMs: number;
  readonly all: MarkoutFigures | undefined;
  readonly sides: Readonly<Record<Side, MarkoutFigures | undefined>>;
}

/**
 * Measures how the mid moved after own fills, of both sides together and of each. For fill i of signed base quantity qᵢ at time tᵢ, with
 * the mid just before it or its price pᵢ as aᵢ, and m(t) the newest mid at t:
 *
 *   markout(h) = 10⁴ · Σ qᵢ · (m(tᵢ + h) − aᵢ) / aᵢ  ÷  Σ |qᵢ|        in basis points
 *
 * Below 0 the market moved against the fills: from the mid that is adverse selection, from the price what was earned before fees. Errors are
 * clustered by order. Left out are fills younger than h, and those that are h old while the mid is not known.
 */
export class Markouts {
  readonly #horizons: readonly Horizon[];
  /** The clusters of each order that may still be filled, by horizon. */
  readonly #orders = new Map<OrderId, readonly ByBasis<Cluster>[]>();
  /** In order of time. */
  #waiting: Waiting[] = [];
  /** When the next markout is due. */
  #dueMs = Number.POSITIVE_INFINITY;
  #mid: number | undefined;
  #isLost = false;

  constructor(horizonsMs: readonly number[]) {
    const means = () => byBasis(() => new ClusteredMean());
    this.#horizons = horizonsMs.map((horizonMs) => ({
      horizonMs,
      next: 0,
      sides: { BUY: means(), SELL: means() },
    }));
  }

  /** Adds a fill at the newest mid; ignored before the first mid. Throws when time goes back. */
  add(fill: MarkoutFill, settled?: MarkoutListener): void {
    const mid = this.#mid;
    if (mid === undefined || fill.quantity === 0) return;
    const from = { midToMid: mid, fillToMid: fill.price };
    const clusters = this.#orders.get(fill.orderId) ?? this.#horizons.map(newClusters);
    this.#orders.set(fill.orderId, clusters);
    const newest = this.#waiting.at(-1)?.fill ?? fill;
    assert(newest.timeMs <= fill.timeMs, "fills come in order of time");
    this.#waiting.push({ fill, from, clusters, settled });
    for (const { horizonMs } of this.#horizons) {
      this.#dueMs = Math.min(this.#dueMs, fill.timeMs + horizonMs);
    }
  }

  /** The order cannot be filled any more. */
  ended(orderId: OrderId): void {
    this.#orders.delete(orderId);
  }

  /** Sets the mid from `timeMs` on. */
  mid(timeMs: number, mid: number): void {
    this.#settle(timeMs, false);
    this.#isLost = false;
    this.#mid = mid;
  }

  /** The mid is not known after `timeMs`, until the next one. */
  lost(timeMs: number): void {
    this.#settle(timeMs, true);
    this.#isLost = true;
  }

  /** The mean markouts at `nowMs`, the time up to which the newest mid held. */
  at(nowMs: number): Markout[] {
    this.#settle(nowMs, true);
    return this.#horizons.map(({ horizonMs, sides: { BUY, SELL } }) => ({
      horizonMs,
      all: figuresOf(BUY, SELL),
      sides: { BUY: figuresOf(BUY), SELL: figuresOf(SELL) },
    }));
  }

  /** Settles the fills that were due before `endMs`, or then as well. */
  #settle(endMs: number, isWithEnd: boolean): void {
    const mid = this.#mid;
    if (mid === undefined || this.#dueMs > endMs) return;
    const waiting = this.#waiting;
    let settled = waiting.length;
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#horizons.forEach((horizon, at) => {
      for (let one = waiting[horizon.next]; one !== undefined; one = waiting[horizon.next]) {
        const dueMs = one.fill.timeMs + horizon.horizonMs;
        if (isWithEnd ? dueMs > endMs : dueMs >= endMs) {
          this.#dueMs = Math.min(this.#dueMs, dueMs);
          break;
        }
        horizon.next += 1;
        const cluster = one.clusters[at];
        if (!this.#isLost && cluster !== undefined) settleOne(horizon, one, cluster, mid);
      }
      settled = Math.min(settled, horizon.next);
    });
    if (2 * settled < waiting.length) return;
    this.#waiting = waiting.slice(settled);
    for (const horizon of this.#horizons) horizon.next -= settled;
  }
}

function settleOne(
  { horizonMs, sides }: Horizon,
  { fill: { side, quantity }, from, settled }: Waiting,
  cluster: ByBasis<Cluster>,
  mid: number,
): void {
  for (const basis of bases) {
    const move = ((mid - from[basis]) / from[basis]) * 10_000;
    sides[side][basis].add(cluster[basis], quantity, side === "BUY" ? move : -move);
  }
  settled?.(horizonMs, mid);
}

function byBasis<Value>(make: () => Value): ByBasis<Value> {
  return { midToMid: make(), fillToMid: make() };
}

function newClusters(): ByBasis<Cluster> {
  return byBasis(() => ({ weight: 0, sum: 0 }));
}

function figuresOf(
  one: ByBasis<ClusteredMean>,
  other?: ByBasis<ClusteredMean>,
): MarkoutFigures | undefined {
  const midToMid = one.midToMid.estimate(other?.midToMid);
  const fillToMid = one.fillToMid.estimate(other?.fillToMid);
  if (midToMid === undefined || fillToMid === undefined) return undefined;
  const orders = one.midToMid.clusters + (other?.midToMid.clusters ?? 0);
  return { midToMid, fillToMid, orders };
}
