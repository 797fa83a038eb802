import { assert } from "../base/assert.ts";
import type { Address, MarketId } from "../domain/ids.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Summary, SummaryFields } from "../metrics/summary.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import { Coverage } from "./coverage.ts";
import type { DecisionLog } from "./decision-log.ts";
import type { InvariantHooks, ObservedWorld, ShownAmounts } from "./invariant.ts";
import { invariants } from "./invariants.ts";
import { LostOrders } from "./lost-orders.ts";
import { entryOf, marketOfCommand } from "./market-part.ts";
import { Oracle } from "./oracle.ts";
import type { SeenTransaction } from "./seen-transaction.ts";
import type { ReadBook } from "./read-book.ts";
import { isOrdering } from "./sent-commands.ts";
import { type Scenario, scenarioIn, SECOND_MARKET_MAKER } from "./scenario.ts";
import { SECOND_MARKET, simulatedMarket } from "./simulated-markets.ts";

export interface MarketWatchesOptions {
  readonly scenario: Scenario;
  readonly owner: Address;
  /** Most quotes that the first strategy of each market wants on one side. */
  readonly quotesPerSide: number;
  /** What is the same for all markets. */
  readonly world: Omit<
    ObservedWorld,
    | "scenario"
    | "oracle"
    | "quotesPerSide"
    | "shown"
    | "booksRead"
    | "summaryOf"
    | "wanted"
    | "recentlyWanted"
  >;
  /** What the newest view of a market's strategy said. */
  shown(marketId: MarketId): ShownAmounts | undefined;
  /** The books that decisions in a market read. */
  booksRead(marketId: MarketId): ReadBook[];
  readonly decisions: DecisionLog;
}

interface Watch {
  readonly name: string;
  readonly hooks: InvariantHooks;
  /** The market that it judges; undefined for the whole bot. */
  readonly marketId: MarketId | undefined;
}

/** A hook that is called thousands of times in a world: only those invariants that have it are in the list. */
interface Watching<Values extends readonly unknown[]> {
  readonly watch: Watch;
  hook(...values: Values): string | undefined;
}

const MAX_VIOLATIONS = 10;

/** An oracle for each market of a world, and the invariants: those of the whole bot once, the others in each market. */
export class MarketWatches {
  readonly coverage = new Coverage();
  readonly lost = new LostOrders();
  /** The first violations, one sentence each. */
  readonly violations: string[] = [];
  readonly #options: MarketWatchesOptions;
  #oracles: readonly Oracle[] = [];
  #watches: readonly Watch[] = [];
  #ticking: readonly Watching<[]>[] = [];
  #reading: readonly Watching<[ObservedEntry]>[] = [];

  constructor(options: MarketWatchesOptions) {
    this.#options = options;
  }

  /** Call once the venue has started. */
  start(exchange: Exchange): void {
    const { scenario, owner } = this.#options;
    const traded = [
      simulatedMarket,
      ...(scenario.secondMarket === undefined ? [] : [SECOND_MARKET]),
    ];
    this.#oracles = traded.map((id) => {
      const market = exchange.markets.find(({ marketId }) => marketId === id);
      assert(market !== undefined, "the venue has the market");
      return new Oracle(exchange, owner, market, { coverage: this.coverage, lost: this.lost });
    });
  }

  /** Call once the account holds what it starts with. */
  watch(): void {
    this.#watches = this.#oracles.flatMap((oracle, at) => {
      const { marketId } = oracle.market;
      const world = this.#worldOf(oracle);
      const here = world.scenario;
      return invariants
        .filter(
          ({ isOfBot, isOfMaker }) =>
            (at === 0 || isOfBot !== true) && !(isOfMaker && here.isOwnStrategy),
        )
        .map(({ name, isOfBot, watch }) => {
          return { name, hooks: watch(world), marketId: isOfBot === true ? undefined : marketId };
        });
    });
    this.#ticking = this.#watching(({ tick }) => tick);
    this.#reading = this.#watching(({ entry }) => entry);
  }

  #watching<Values extends readonly unknown[]>(
    hookOf: (hooks: InvariantHooks) => ((...values: Values) => string | undefined) | undefined,
  ): Watching<Values>[] {
    return this.#watches.flatMap((watch) => {
      const hook = hookOf(watch.hooks);
      return hook === undefined ? [] : [{ watch, hook }];
    });
  }

  #worldOf(oracle: Oracle): ObservedWorld {
    const { scenario, quotesPerSide, world, shown, booksRead, decisions } = this.#options;
    const { marketId } = oracle.market;
    const here = scenarioIn(scenario, marketId);
    return {
      ...world,
      scenario: here,
      oracle,
      quotesPerSide: quotesPerSide + (here.hasSecondStrategy ? 1 : 0),
      shown: () => shown(marketId),
      booksRead: () => booksRead(marketId),
      wanted: () => decisions.newest(marketId),
      recentlyWanted: () => decisions.recent(marketId),
      summaryOf: (summary) => summariesOf(summary, here),
    };
  }

  /** Of the first market. */
  get oracle(): Oracle {
    const [first] = this.#oracles;
    assert(first !== undefined, "the venue has started");
    return first;
  }

  /** Tells each oracle. */
  tell(what: (oracle: Oracle) => void): void {
    for (const oracle of this.#oracles) what(oracle);
  }

  entry(entry: ObservedEntry): void {
    this.coverage.entry(entry);
    if (this.#oracles.length === 1) {
      this.oracle.entry(entry);
      for (const { watch, hook } of this.#reading) this.#judge(watch, hook(entry));
      return;
    }
    const parts = new Map(
      this.#oracles.map((oracle) => {
        const { marketId } = oracle.market;
        const part = entryOf(marketId, entry);
        oracle.entry(part);
        return [marketId, part] as const;
      }),
    );
    for (const { watch, hook } of this.#reading) {
      this.#judge(watch, hook((watch.marketId && parts.get(watch.marketId)) ?? entry));
    }
  }

  tick(): void {
    for (const { watch, hook } of this.#ticking) this.#judge(watch, hook());
  }

  request(transaction: SeenTransaction | undefined): void {
    if (transaction !== undefined && isOrdering(transaction)) this.lost.sent(transaction.hash);
    const named = transaction && marketOfCommand(transaction, this.oracle);
    this.check((hooks, marketId) => {
      const isHere = marketId === undefined || named === undefined || named === marketId;
      return hooks.request?.(isHere ? transaction : undefined);
    });
  }

  check(hook: (hooks: InvariantHooks, marketId: MarketId | undefined) => string | undefined): void {
    for (const watch of this.#watches) this.#judge(watch, hook(watch.hooks, watch.marketId));
  }

  #judge({ name, marketId }: Watch, problem: string | undefined): void {
    if (problem === undefined) return;
    this.violated(name, marketId === SECOND_MARKET ? `in ${marketId}: ${problem}` : problem);
  }

  /** Tells every invariant what needs no verdict. */
  tellHooks(what: (hooks: InvariantHooks) => void): void {
    for (const { hooks } of this.#watches) what(hooks);
  }

  violated(name: string, problem: string): void {
    if (this.violations.length >= MAX_VIOLATIONS) return;
    const seconds = (this.#options.world.elapsedMs() / 1000).toFixed(3);
    this.violations.push(`${seconds} s: ${name}: ${problem}`);
  }
}

/** The parts of a summary that are of the strategies in a market. */
function summariesOf(
  summary: Summary,
  { marketId, secondMarket }: Scenario,
): readonly SummaryFields[] {
  if (secondMarket === undefined) return [summary];
  const isSecond = marketId === SECOND_MARKET;
  return (summary.strategies ?? []).filter(
    ({ name }) => (name === SECOND_MARKET_MAKER || name.includes("/")) === isSecond,
  );
}
