import type { MarketId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import type { BatchEntry, Entry, RunHeader } from "../journal/entry.ts";
import { firstUnequal } from "../journal/verify.ts";
import type { StrategyBinding } from "../kernel/config.ts";
import type { Effect } from "../kernel/effect.ts";
import { Kernel, type Step } from "../kernel/kernel.ts";
import type { Note } from "../kernel/note.ts";
import { stoppedAt } from "../config/stack-frames.ts";
import { startCallWatchdog, watchedCall } from "../platform/call-watchdog.ts";
import {
  decisionParts,
  type MarketDecision,
  type StrategyDefinition,
  type WantedQuote,
} from "../strategy/contract.ts";
import type { MarketView } from "../strategy/view.ts";

/** A quote that a strategy wanted, with what it was given; a price before it is rounded to the venue's grid. */
export interface DecidedQuote {
  readonly side: Side;
  readonly price: number;
  readonly size: string;
}

/** What a strategy saw and decided in one step. */
export interface Decided {
  readonly strategy: string;
  readonly marketId: MarketId;
  /** `keep`: the targets of an earlier decision stay. `failed`: it threw. */
  readonly type: "set" | "keep" | "failed";
  readonly quotes: readonly DecidedQuote[];
  /** Names of the stop orders it wanted. */
  readonly stops: readonly string[];
  /** Its takes in words, and the position to work to. */
  readonly takes: readonly string[];
  readonly workTo: string | undefined;
  readonly tolerance: number;
  readonly reason: Partial<Readonly<Record<Side, string | undefined>>>;
  readonly mid: number | undefined;
  readonly bestBid: number | undefined;
  readonly bestAsk: number | undefined;
  /** In base token. */
  readonly position: string;
}

/** A recorded step with what its re-run tells beyond the recording. */
export interface RerunStep {
  readonly entry: BatchEntry;
  /** Effects, notes and decisions of the re-run; `notes` and `decided` are empty once it has left the recording. */
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  readonly decided: readonly Decided[];
  /** The re-run decided as the recording did in this batch and all before it. */
  readonly isFaithful: boolean;
}

/** A kernel with the settings of a recorded run. */
export function recordedKernel(header: RunHeader, strategies: readonly StrategyBinding[]): Kernel {
  return new Kernel({ ...header.kernel, markets: header.markets, strategies });
}

/** Feeds the batches of a recorded run to a new kernel, and observes what its strategies decide. */
export function* rerun(
  header: RunHeader,
  entries: Iterable<Entry>,
  strategies: readonly StrategyBinding[],
): Generator<RerunStep> {
  const again = new Rerun(header, strategies);
  for (const item of entries) if (item.type === "batch") yield again.step(item.entry);
}

/** A recorded run that is run again batch by batch, from its first on. */
export class Rerun {
  readonly #kernel: Kernel;
  readonly #decided: Decided[] = [];
  #isFaithful = true;

  constructor(header: RunHeader, strategies: readonly StrategyBinding[]) {
    this.#kernel = recordedKernel(header, observed(strategies, this.#decided));
  }

  step(entry: BatchEntry): RerunStep {
    this.#decided.length = 0;
    const again = this.#isFaithful ? tryStep(this.#kernel, entry) : undefined;
    const isFaithful =
      again !== undefined && firstUnequal(entry.effects, again.effects) === undefined;
    this.#isFaithful = isFaithful;
    return {
      entry,
      effects: again?.effects ?? [],
      notes: isFaithful ? again.notes : [],
      decided: isFaithful ? [...this.#decided] : [],
      isFaithful,
    };
  }
}

/** Undefined when the kernel of this version cannot take the batch. */
function tryStep(
  kernel: Kernel,
  { batch }: BatchEntry,
): Pick<Step, "effects" | "notes"> | undefined {
  try {
    return kernel.step(batch);
  } catch {
    return undefined;
  }
}

/** The strategies with a `decide` that also adds to `decided`. */
export function observed(
  strategies: readonly StrategyBinding[],
  decided: Decided[],
): readonly StrategyBinding[] {
  startCallWatchdog(stoppedAt);
  return strategies.map((binding) => {
    const { definition, name } = binding;
    const watched: StrategyDefinition = {
      ...definition,
      init: (input) => watchedCall(`${name}: init`, () => definition.init(input)),
      decide(input) {
        try {
          const decision = watchedCall(`${name}: decide`, () => definition.decide(input));
          for (const [role, part] of decisionParts(decision)) {
            decided.push(decidedBy(name, input.view.markets[role] ?? input.view, part));
          }
          return decision;
        } catch (thrown) {
          decided.push(decidedBy(name, input.view, undefined));
          throw thrown;
        }
      },
    };
    return { ...binding, definition: watched };
  });
}

function decidedBy(
  strategy: string,
  view: MarketView,
  decision: MarketDecision | undefined,
): Decided {
  const seen = {
    strategy,
    marketId: view.market.marketId,
    mid: view.book.mid,
    bestBid: view.book.best("BUY")?.price,
    bestAsk: view.book.best("SELL")?.price,
    position: view.position.base.toString(),
  };
  const nothing = {
    quotes: [],
    stops: [],
    takes: [],
    workTo: undefined,
    tolerance: 0,
    reason: {},
  };
  if (decision?.type === "keep") return { ...seen, ...nothing, type: "keep" };
  try {
    if (decision === undefined) throw new TypeError("no decision");
    const { bids, asks, stops, takes, workTo, tolerance, reason } = decision;
    return {
      ...seen,
      type: "set",
      quotes: [...bids.map(quoteOf("BUY")), ...asks.map(quoteOf("SELL"))],
      stops: stops.map(({ name }) => name),
      takes: takes.map(({ name, side, size, quoteSize }) =>
        size === undefined
          ? `${name}: ${side} for ${String(quoteSize)} quote`
          : `${name}: ${side} ${String(size)}`,
      ),
      workTo: workTo === undefined ? undefined : String(workTo.position),
      tolerance,
      reason: { ...reason },
    };
  } catch {
    // The kernel refuses such a decision, and its note says what is wrong.
    return { ...seen, ...nothing, type: "failed" };
  }
}

function quoteOf(side: Side) {
  return ({ price, size }: WantedQuote): DecidedQuote => ({
    side,
    price,
    size: size.toString(),
  });
}
