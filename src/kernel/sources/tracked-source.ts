import { assert } from "../../base/assert.ts";
import {
  type Expression,
  type Interval,
  intervals,
  namesIn,
  parseExpression,
} from "../../domain/expression.ts";
import type { MarketId } from "../../domain/ids.ts";
import type { MarketState } from "../market-state.ts";
import type { SourceConfig } from "./source-config.ts";

export interface SourcePrice {
  readonly bid: number;
  readonly ask: number;
}

/** A price as it was received. */
export interface SourceValue extends SourcePrice {
  /** Our clock. */
  readonly receivedMs: number;
  /** Receipt less the value's own time; undefined without one. */
  readonly lagMs: number | undefined;
}

/** A move that is too large to be believed yet. */
interface Doubt {
  /** The first of several values that are near it, the newest of them, and how many. */
  readonly first: SourceValue;
  readonly newest: SourceValue;
  readonly count: number;
}

/** A strategy, as its sources know it. */
interface SourceWatcher {
  readonly binding: {
    readonly marketId: MarketId;
    readonly sources?: readonly string[] | undefined;
  };
  readonly news: { market: boolean };
  sources: readonly TrackedSource[];
}

/** One source: what is believed of it. */
export class TrackedSource {
  readonly config: SourceConfig;
  /** The newest value that is believed. */
  value: SourceValue | undefined;
  /** A believed value that moves are measured from, and the mid of each confirming price when it came. */
  reference: SourceValue | undefined;
  confirmers: readonly (number | undefined)[] = [];
  doubt: Doubt | undefined;
  /** The market of a source has no price at present. */
  isMissing = false;
  hasWarned = false;
  updates = 0;
  /** How many times a move was doubted. */
  doubts = 0;
  /** The sources of a formula, and how it is computed from them. */
  parts: readonly TrackedSource[] = [];
  expression: Expression<Interval> = () => null;
  /** The strategies that see it or a formula of it: a new value wakes them. */
  readonly watchers: SourceWatcher[] = [];
  /** Its book, of a market's source. */
  readonly market: MarketState | undefined;

  constructor(config: SourceConfig, market: MarketState | undefined) {
    this.config = config;
    this.market = market;
  }

  get name(): string {
    return this.config.name;
  }

  /** The newest price, believed or not. */
  get newest(): SourcePrice | undefined {
    if (this.parts.length === 0) return this.doubt?.newest ?? this.value;
    return this.computed((part) => part.newest);
  }

  /** The price of a formula with these prices of its parts; undefined where there is none. */
  computed(priceOf: (part: TrackedSource) => SourcePrice | undefined): SourcePrice | undefined {
    const price = this.expression((name) => {
      const part = this.parts.find((one) => one.name === name);
      const value = part === undefined ? undefined : priceOf(part);
      return value === undefined ? null : { low: value.bid, high: value.ask };
    });
    return price === null ? undefined : { bid: price.low, ask: price.high };
  }
}

export function midOf({ bid, ask }: SourcePrice): number {
  return (bid + ask) / 2;
}

/** All sources of a bot. */
export class Sources {
  readonly byName: ReadonlyMap<string, TrackedSource>;
  readonly all: readonly TrackedSource[];
  readonly byMarket: ReadonlyMap<MarketId, readonly TrackedSource[]>;
  /** Those whose newest value is doubted. */
  readonly doubted = new Set<TrackedSource>();

  constructor(byName: ReadonlyMap<string, TrackedSource>) {
    this.byName = byName;
    this.all = [...byName.values()];
    this.byMarket = Map.groupBy(
      this.all.filter(({ market }) => market !== undefined),
      ({ market }) => market?.market.marketId as MarketId,
    );
    const names = [...byName.keys()];
    for (const source of this.all) {
      const { origin } = source.config;
      if (origin.type !== "formula") continue;
      const parsed = parseExpression(origin.formula, names, intervals);
      assert("expression" in parsed, `a checked formula: ${origin.formula}`);
      source.expression = parsed.expression;
      source.parts = namesIn(origin.formula).flatMap((name) => byName.get(name) ?? []);
    }
  }

  /** Which of them a strategy sees. */
  watch(runner: SourceWatcher): void {
    const { sources: seen } = runner.binding;
    runner.sources =
      seen === undefined ? this.all : seen.flatMap((name) => this.byName.get(name) ?? []);
    for (const source of runner.sources) addWatcher(source, runner);
  }
}

export function makeSources(
  configs: readonly SourceConfig[],
  kernel: {
    readonly markets: ReadonlyMap<MarketId, MarketState>;
    readonly runners: readonly SourceWatcher[];
  },
): Sources {
  const sources = new Sources(
    new Map(configs.map((config) => [config.name, made(config, kernel)])),
  );
  for (const runner of kernel.runners) sources.watch(runner);
  return sources;
}

function made(
  config: SourceConfig,
  { markets }: { readonly markets: ReadonlyMap<MarketId, MarketState> },
): TrackedSource {
  const { origin } = config;
  const market = origin.type === "market" ? markets.get(origin.marketId) : undefined;
  const source = new TrackedSource(config, market);
  if (origin.type === "static") {
    const { bid, ask } = origin;
    source.value = { bid, ask, receivedMs: 0, lagMs: undefined };
  }
  return source;
}

function addWatcher({ watchers, parts }: TrackedSource, runner: SourceWatcher): void {
  if (!watchers.includes(runner)) watchers.push(runner);
  for (const part of parts) addWatcher(part, runner);
}
