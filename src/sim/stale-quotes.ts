import type { OrderId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { Effect } from "../kernel/effect.ts";
import type { ObservedWorld } from "./invariant.ts";

/** What quotes rest on may be stale for this long at any time. */
const NOTED_MS = 1_000;
/** After this, quotes have been pulled: there was time to send their cancels however many requests hang. */
const PULLED_MS = 22_000;
/** The same after a time in which no request could reach the venue: one cancel tries, its time-out is 5 s, and the others follow. */
const RECONNECTED_MS = 6_000;
/** A process that starts cancels in rounds, which wait for answers this long at most. */
const ROUND_MS = 5_000;

/** Judges quotes that rest without a cancel although what they rest on is stale. */
export class StaleQuotes {
  readonly #world: ObservedWorld;
  /** When a process that starts or whose run is over last had no session that the venue accepts: nothing can cancel then. */
  #unsignedMs = Number.NEGATIVE_INFINITY;
  /** Whether the journal has an order, by id. A process that starts knows no others; a bot that runs adopts those that a power cut removed. */
  readonly #journaled = new Map<OrderId, boolean>();

  #isOver = false;

  constructor(world: ObservedWorld) {
    this.#world = world;
  }

  runStarts(): void {
    this.#journaled.clear();
    this.#isOver = false;
  }

  entry(effects: readonly Effect[]): void {
    this.#isOver ||= effects.some(({ type }) => type === "finished");
  }

  /** `sinceMs` on the clock of `elapsedMs`; `what`: what has been stale since then. */
  tick(sinceMs: number, what: string): string | undefined {
    const { oracle, sent, elapsedMs, isBotAlive, unreachableMs, blockedMs } = this.#world;
    const staleMs = elapsedMs() - sinceMs;
    // Shorter times are no concern of anybody.
    if (staleMs <= NOTED_MS) return undefined;
    const resting = oracle.restingQuote(
      (orderId) => sent.isLeaving(orderId, isBotAlive() ? undefined : ROUND_MS),
      this.#isKnown,
    );
    if (resting === undefined) return undefined;
    if ((!isBotAlive() || this.#isOver) && !this.#hasSession()) this.#unsignedMs = elapsedMs();
    oracle.lasted("stale quote", staleMs);
    return staleMs <= PULLED_MS ||
      elapsedMs() - Math.max(unreachableMs(), blockedMs(), this.#unsignedMs) <= RECONNECTED_MS
      ? undefined
      : `${resting.orderId} rests although ${what} for ${Math.round(staleMs)} ms`;
  }

  readonly #isKnown = (orderId: OrderId): boolean => {
    if (this.#world.isBotAlive()) return true;
    const known = this.#journaled.get(orderId) ?? this.#world.isInJournal(orderId);
    this.#journaled.set(orderId, known);
    return known;
  };

  #hasSession(): boolean {
    const { scenario, oracle, venueNowMs } = this.#world;
    if (scenario.session === undefined) return true;
    const sessions = oracle.exchange.sessions(oracle.owner, unixMs(venueNowMs()));
    return sessions.some(({ applied }) => applied);
  }
}
