import type { Batch, Input } from "../kernel/input.ts";
import type { ObservedWorld } from "./invariant.ts";
import type { SimulatedSources } from "./scenario.ts";

/** A price beyond this multiple of the first one is another regime: only a fault gets there. */
const FAR = 3;
/** Prices that jumped are believed once this many have stood for so long (docs/sources.md). */
const STAND_MS = 5_000;
const STAND_COUNT = 3;

type Price = Extract<Input, { readonly type: "source" }>;

export interface NaivePrice {
  readonly bid: number;
  readonly ask: number;
  /** The bot's clock. */
  readonly receivedMs: number;
}

/** What a run may believe of one source, by the values that it was given and what the world is known to send. */
export class NaiveSource {
  readonly #startPrice: number;
  #believed: NaivePrice | undefined;
  #doubt: { readonly regime: number; readonly sinceMs: number; readonly count: number } | undefined;

  constructor(startPrice: number) {
    this.#startPrice = startPrice;
  }

  received({ bid, ask }: Price, nowMs: number): void {
    if (!(bid > 0 && bid <= ask && ask < Number.POSITIVE_INFINITY)) return;
    const regime = this.#regimeOf(bid);
    if (this.#believed !== undefined && regime !== this.#regimeOf(this.#believed.bid)) {
      const { sinceMs, count } =
        this.#doubt?.regime === regime ? this.#doubt : { sinceMs: nowMs, count: 0 };
      this.#doubt = { regime, sinceMs, count: count + 1 };
      if (count + 1 < STAND_COUNT || nowMs - sinceMs < STAND_MS) return;
    }
    this.#believed = { bid, ask, receivedMs: nowMs };
    this.#doubt = undefined;
  }

  /** The price that may be used at this time of the bot's clock; undefined when there is none or it is too old. */
  at(nowMs: number, maxAgeMs: number): NaivePrice | undefined {
    const { receivedMs = Number.NEGATIVE_INFINITY } = this.#believed ?? {};
    return nowMs - receivedMs <= maxAgeMs ? this.#believed : undefined;
  }

  #regimeOf(price: number): number {
    if (price > this.#startPrice * FAR) return 1;
    return price < this.#startPrice / FAR ? -1 : 0;
  }
}

/** All sources of a world, followed by an invariant. */
export class NaiveSources {
  readonly #sources: SimulatedSources;
  readonly #elapsedMs: () => number;
  #byName = new Map<string, NaiveSource>();
  /** The bot's clock less `elapsedMs`, by the newest step. */
  #aheadMs = 0;

  constructor(sources: SimulatedSources, { elapsedMs }: Pick<ObservedWorld, "elapsedMs">) {
    this.#sources = sources;
    this.#elapsedMs = elapsedMs;
  }

  runStarts(): void {
    this.#byName.clear();
  }

  entry({ inputs, nowMs }: Batch): void {
    this.#aheadMs = nowMs - this.#elapsedMs();
    for (const input of inputs) {
      if (input.type !== "source") continue;
      const source = this.#byName.get(input.name) ?? new NaiveSource(this.#sources.startPrice);
      this.#byName.set(input.name, source);
      source.received(input, nowMs);
    }
  }

  at(name: string, nowMs: number): NaivePrice | undefined {
    return this.#byName.get(name)?.at(nowMs, this.#sources.maxAgeMs);
  }

  /** A source that is of no use at this time of the bot's clock; left out: now. */
  old(nowMs = this.#elapsedMs() + this.#aheadMs): string | undefined {
    return this.#sources.names.find((name) => this.at(name, nowMs) === undefined);
  }
}
