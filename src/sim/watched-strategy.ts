import { z } from "zod";
import { assert } from "../base/assert.ts";
import { fixed, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import { OWN_MARKET } from "../domain/market-roles.ts";
import {
  type DecideInput,
  type Decision,
  decisionParts,
  inMarkets,
  type MarketDecision,
  setQuotes,
  type StrategyDefinition,
} from "../strategy/contract.ts";
import { DecisionLog } from "./decision-log.ts";
import type { StrategyFailure } from "./fault-target.ts";
import type { ReadSources, ShownAmounts } from "./invariant.ts";
import type { MarketView } from "../strategy/view.ts";
import { type ReadBook, readBook } from "./read-book.ts";
import { pairedRoles } from "./simulated-markets.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** What a failure on demand says. */
export const SIMULATED_BUG = "a simulated bug of the strategy";

/** A strategy that keeps what its newest view says, and whose decisions fail on demand. */
export class WatchedStrategy {
  /** By market; empty before the first decision of a run. */
  readonly shown = new Map<MarketId, ShownAmounts>();
  readonly decisions = new DecisionLog();
  readonly #booksRead = new Map<MarketId, ReadBook[]>();
  /** What the decisions saw of the sources, oldest first; who judges one takes it out. */
  readonly sourcesRead: ReadSources[] = [];
  /** The fills that decisions of this run have seen, by intent, time and quantity. */
  readonly #fillsShown = new Set<string>();
  /** How the next decision fails; undefined when it does not. */
  nextFailure: StrategyFailure | undefined;
  /** How long the next decision takes, ms; undefined when it takes no time. */
  nextStallMs: number | undefined;
  /** Whether an invariant takes out of `sourcesRead`. */
  watchesSources = false;
  /** Lets the process in which a decision is made wait. */
  stall: ((ms: number) => void) | undefined;
  readonly definition: StrategyDefinition;
  /** A decision of `paired` failed in one of its markets. */
  #hasFailed = false;
  /** The newest decision of the kernel at work in each market: the time of its view, and how many before it had the same. */
  readonly #newest = new Map<MarketId, { readonly nowMs: number; readonly before: number }>();
  /** The decisions that failed, by market, time of the view and number at that time: they fail in a re-run as well. */
  readonly #failures = new Map<string, StrategyFailure>();

  constructor(strategy: StrategyDefinition, time: VirtualClock) {
    this.definition = {
      ...strategy,
      init: (input) => {
        this.#newest.clear();
        return strategy.init(input);
      },
      decide: (input) => {
        const { view } = input;
        const { marketId } = view.market;
        const views = viewsOf(strategy, view);
        for (const each of views.values()) if (each.isFresh) this.#shows(each, time);
        this.#showsFills(views.values());
        if (this.watchesSources) this.sourcesRead.push({ nowMs: view.nowMs, seen: view.sources });
        const stallMs = this.nextStallMs;
        this.nextStallMs = undefined;
        if (stallMs !== undefined) this.stall?.(stallMs);
        const failure = this.#failureAt(this.#nameOf(marketId, view.nowMs));
        this.#hasFailed ||= failure !== undefined;
        if (failure !== undefined) {
          for (const { market } of views.values()) {
            this.decisions.ended(strategy.name, market.marketId);
          }
        }
        if (failure === "throws") throw new Error(SIMULATED_BUG);
        return failure === "nonsense"
          ? nonsense()
          : this.#logged(strategy, view, strategy.decide(input), time);
      },
    };
  }

  /** The strategy in two markets at once: it decides in each as in one. Where it fails in one of them, it has failed in both. */
  paired(): StrategyDefinition {
    const single = this.definition;
    const of = (parts: unknown, role: string): unknown => Reflect.get(Object(parts), role);
    return {
      name: single.name,
      markets: pairedRoles,
      params: z.object(Object.fromEntries(pairedRoles.map((role) => [role, single.params]))),
      init: ({ params, seed }) =>
        Object.fromEntries(
          pairedRoles.map((role) => [role, single.init({ params: of(params, role), seed })]),
        ),
      decide: ({ view, params, state }) => {
        this.#hasFailed = false;
        this.#showsFills(Object.values(view.markets));
        try {
          const fresh = Object.entries(view.markets).filter(([, { isFresh }]) => isFresh);
          return inMarkets(
            Object.fromEntries(
              fresh.map(([role, own]) => {
                const part = { params: of(params, role), state: of(state, role) };
                return [role, inOneMarket(single.decide({ view: own, ...part }))];
              }),
            ),
          );
        } finally {
          if (this.#hasFailed) {
            for (const { market } of Object.values(view.markets)) {
              this.decisions.ended(single.name, market.marketId);
            }
          }
        }
      },
    };
  }

  /** Another strategy of the bot, whose decisions are only logged. */
  logged(strategy: StrategyDefinition, time: VirtualClock): StrategyDefinition {
    return {
      ...strategy,
      decide: (input) => {
        this.#showsFills(viewsOf(strategy, input.view).values());
        return this.#logged(strategy, input.view, strategy.decide(input), time);
      },
    };
  }

  #logged(
    strategy: StrategyDefinition,
    view: DecideInput<unknown, unknown>["view"],
    decision: Decision,
    time: VirtualClock,
  ): Decision {
    const views = viewsOf(strategy, view);
    for (const [role, part] of decisionParts(decision)) {
      const own = views.get(role);
      if (own?.isFresh) this.decisions.add(strategy.name, own, part, time.elapsedMs);
    }
    return decision;
  }

  #shows(view: MarketView, time: VirtualClock): void {
    const total = (token: "base" | "quote"): Fixed | undefined => {
      const balance = view.balance(token);
      return balance === undefined ? undefined : fixed(balance.total.toFixed());
    };
    this.shown.set(view.market.marketId, {
      atMs: time.elapsedMs,
      position: fixed(view.position.base.toFixed()),
      base: total("base"),
      quote: total("quote"),
    });
    this.booksRead(view.market.marketId).push(readBook(view));
  }

  #showsFills(views: Iterable<MarketView>): void {
    for (const { fills } of views) {
      for (const { order, timeMs, quantity } of fills) {
        this.#fillsShown.add(`${order} ${timeMs} ${fixed(quantity.toFixed())}`);
      }
    }
  }

  runStarts(): void {
    this.#fillsShown.clear();
    this.decisions.runStarts();
    this.shown.clear();
    this.sourcesRead.length = 0;
    for (const read of this.#booksRead.values()) read.length = 0;
  }

  /** The books that decisions in a market have read, oldest first; who judges one takes it out. */
  booksRead(marketId: MarketId): ReadBook[] {
    const known = this.#booksRead.get(marketId);
    if (known !== undefined) return known;
    const read: ReadBook[] = [];
    this.#booksRead.set(marketId, read);
    return read;
  }

  /** Whether a decision of this run has seen a fill of the order with this intent. */
  wasShown(intent: number, { timeMs, quantity }: Fill): boolean {
    return this.#fillsShown.has(`${intent} ${timeMs} ${quantity}`);
  }

  /** The same for a decision and for its repetition by another kernel. */
  #nameOf(marketId: MarketId, nowMs: number): string {
    const newest = this.#newest.get(marketId);
    const before = newest?.nowMs === nowMs ? newest.before + 1 : 0;
    this.#newest.set(marketId, { nowMs, before });
    return `${marketId} ${nowMs} ${before}`;
  }

  #failureAt(decision: string): StrategyFailure | undefined {
    if (this.nextFailure !== undefined) this.#failures.set(decision, this.nextFailure);
    this.nextFailure = undefined;
    return this.#failures.get(decision);
  }
}

/** The markets of a strategy by its names for them. */
function viewsOf(
  { markets }: StrategyDefinition,
  view: DecideInput<unknown, unknown>["view"],
): ReadonlyMap<string, MarketView> {
  return new Map(markets === undefined ? [[OWN_MARKET, view]] : Object.entries(view.markets));
}

function inOneMarket(decision: Decision): MarketDecision {
  assert(decision.type !== "markets", "a decision of a strategy with one market");
  return decision;
}

/** What a plugin in JavaScript may return. */
function nonsense(): Decision {
  const price: unknown = SIMULATED_BUG;
  return setQuotes({ bids: [{ price: price as number, size: "1" }], asks: [] });
}
