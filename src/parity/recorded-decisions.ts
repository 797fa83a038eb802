import type { BatchEntry, RunHeader } from "../journal/entry.ts";
import type { StrategyBinding } from "../kernel/config.ts";
import { rerun } from "../runtime/rerun.ts";
import {
  type Decision,
  decisionParts,
  type MarketDecision,
  keepQuotes,
  type StrategyDefinition,
  type WantedQuote,
} from "../strategy/contract.ts";

/** Targets that a strategy set in the run, and when. */
interface RecordedDecision {
  readonly timeMs: number;
  readonly decision: Decision;
}

/**
 * The strategies of a run as ones that set the targets of the run again, each at the time at which the run set it, from `fromMs` on. They do
 * not react to what the simulated venue does. Undefined when this version no longer decides as the run did.
 */
export function recordedDecisions(
  header: RunHeader,
  batches: readonly BatchEntry[],
  strategies: readonly StrategyBinding[],
  fromMs: number,
): readonly StrategyBinding[] | undefined {
  const records = new Map<string, RecordedDecision[]>(strategies.map(({ name }) => [name, []]));
  let nowMs = 0;
  const watched = strategies.map((binding): StrategyBinding => {
    const { definition, name } = binding;
    const decide: StrategyDefinition["decide"] = (input) => {
      const decision = definition.decide(input);
      if (decision.type !== "keep")
        records.get(name)?.push({ timeMs: nowMs, decision: copy(decision) });
      return decision;
    };
    return { ...binding, definition: { ...definition, init: (i) => definition.init(i), decide } };
  });
  const entries = function* () {
    for (const entry of batches) {
      nowMs = entry.batch.nowMs;
      yield { type: "batch", entry } as const;
    }
  };
  for (const { isFaithful } of rerun(header, entries(), watched)) if (!isFaithful) return undefined;
  return strategies.map((binding) => ({
    ...binding,
    definition: playedBack(binding.definition, since(records.get(binding.name) ?? [], fromMs)),
  }));
}

/** The records from `fromMs` on, and the targets that held then. */
function since(records: readonly RecordedDecision[], fromMs: number): readonly RecordedDecision[] {
  const first = records.findIndex(({ timeMs }) => timeMs >= fromMs);
  const later = first < 0 ? [] : records.slice(first);
  const held = targetsOf(first < 0 ? records : records.slice(0, first));
  const isNeeded = held.size > 0 && later[0]?.timeMs !== fromMs;
  return isNeeded ? [{ timeMs: fromMs, decision: decisionOf(held) }, ...later] : later;
}

type TargetsByRole = ReadonlyMap<string, MarketDecision>;

/** The newest targets of each market. */
function targetsOf(records: readonly RecordedDecision[]): TargetsByRole {
  const parts = records.flatMap(({ decision }) => decisionParts(decision));
  return new Map(parts.filter(([, { type }]) => type === "set"));
}

function decisionOf(targets: TargetsByRole, wakeAtMs?: number): Decision {
  return { type: "markets", markets: Object.fromEntries(targets), wakeAtMs };
}

function playedBack(
  { name, params }: StrategyDefinition,
  records: readonly RecordedDecision[],
): StrategyDefinition {
  return {
    name,
    params,
    init: () => ({ next: 0, held: new Map() }),
    decide({ view, state }) {
      const at = state as { next: number; readonly held: Map<string, MarketDecision> };
      const before = at.next;
      while ((records[at.next]?.timeMs ?? Number.POSITIVE_INFINITY) <= view.nowMs) at.next += 1;
      const wakeAtMs = records[at.next]?.timeMs;
      const targets = new Map(targetsOf(records.slice(before, at.next)));
      for (const [role, part] of targets) at.held.set(role, part);
      for (const [role, part] of at.held) {
        if (view.markets[role]?.quotesPulled === true) targets.set(role, part);
      }
      if (targets.size > 0) return decisionOf(targets, wakeAtMs);
      return keepQuotes(wakeAtMs === undefined ? {} : { wakeAtMs });
    },
  };
}

/** The targets without ids of the run's orders, which a replay does not have. */
function copy(decision: Decision): Decision {
  if (decision.type !== "markets") return copyOf(decision);
  const parts = Object.entries(decision.markets).map(([role, part]) => [role, copyOf(part)]);
  return { ...decision, markets: Object.fromEntries(parts) };
}

function copyOf(decision: MarketDecision): MarketDecision {
  if (decision.type === "keep") return decision;
  const quoteOf = ({ price, size, place, tpsl }: WantedQuote): WantedQuote => ({
    price,
    size,
    ...(place === undefined ? {} : { place }),
    ...(tpsl === undefined ? {} : { tpsl }),
  });
  return {
    ...decision,
    bids: decision.bids.map(quoteOf),
    asks: decision.asks.map(quoteOf),
    stops: decision.stops.map((stop) => ({ ...stop })),
    takes: decision.takes.map((take) => ({ ...take })),
    workTo: decision.workTo && { ...decision.workTo },
    drop: [],
  };
}
