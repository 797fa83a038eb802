import type { Trade } from "../domain/depth.ts";
import type { Fill } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { Plan } from "../execution/planner.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import type { Decision } from "../strategy/contract.ts";
import type { MarketView } from "../strategy/view.ts";
import type { StrategyBinding } from "./config.ts";
import { StopRecords } from "./stop-records.ts";
import { noTargets, type TargetQuote, type Targets, targetsOf } from "./targets.ts";

/** Public trades kept for one decision; older ones are dropped first. */
const MAX_TRADES = 10_000;

/** One strategy at work: its state, its newest targets, and what happened since its last decision. */
export class StrategyRunner {
  readonly binding: StrategyBinding;
  readonly #state: unknown;
  targets: Targets = noTargets;
  /** It has made a decision in this run. */
  hasDecided = false;
  readonly stops = new StopRecords();
  wakeAtMs: number | undefined;
  /** Set when the plugin threw or returned nonsense: it is never asked again and its orders are canceled. */
  fault: string | undefined;
  /**
   * The fewest changes towards the targets, planned once per decision; commands leave it as the budget allows. It is kept until the next
   * decision: a quote that was placed is not compared again before, so a partial fill alone replaces nothing.
   */
  plan: Plan<TargetQuote> | undefined;
  /** Its quotes were taken down in the last step for a reason that is not its own: staleness, a pause. */
  isPulled = false;
  /** Something happened in its market or to its orders since it was last asked. */
  needsDecision = true;
  trades: Trade[] = [];
  fills: { readonly fill: Fill; readonly order: TrackedOrder }[] = [];
  /** Until when a side rests after the venue refused a placement, and how often it did in a row. */
  readonly cooldown: Record<Side, { untilMs: number; refusals: number }> = {
    BUY: { untilMs: 0, refusals: 0 },
    SELL: { untilMs: 0, refusals: 0 },
  };
  /** Why the gate or the grid kept a side's quotes from being sent in the newest plan. */
  readonly held: Record<Side, string | undefined> = { BUY: undefined, SELL: undefined };
  /** Old names in decisions that were warned about, so that each is warned about once. */
  readonly #warnedNames = new Set<string>();
  #warnings: string[] = [];
  /** Last reason noted for a side, so that only changes are noted. */
  readonly lastReason: Record<Side, string | undefined> = { BUY: undefined, SELL: undefined };

  constructor(binding: StrategyBinding) {
    this.binding = binding;
    const { definition, params, seed } = binding;
    this.#state = definition.init({ params, seed });
  }

  get name(): string {
    return this.binding.name;
  }

  noteTrade(trade: Trade): void {
    if (this.trades.length >= MAX_TRADES) this.trades.shift();
    this.trades.push(trade);
    this.needsDecision = true;
  }

  noteFill(fill: Fill, order: TrackedOrder): void {
    this.fills.push({ fill, order });
    this.needsDecision = true;
  }

  isDue(nowMs: number): boolean {
    return this.needsDecision || (this.wakeAtMs !== undefined && this.wakeAtMs <= nowMs);
  }

  /** Calls `decide` once. True when it set new targets; an exception or an invalid decision becomes `fault`. */
  decide(view: MarketView): boolean {
    let decision: Decision;
    try {
      decision = this.binding.definition.decide({
        view,
        params: this.binding.params,
        state: this.#state,
      });
      this.wakeAtMs = wakeOf(decision, view.nowMs);
      if (decision.type === "set") {
        for (const name of decision.oldNames ?? []) this.#noteOldName(name);
        if (decision.why !== undefined) this.#noteOldName("why");
        this.targets = targetsOf(decision, view.rules);
        this.hasDecided = true;
        this.stops.wanted(this.targets.stops, view.nowMs);
      }
    } catch (thrown) {
      this.fault = thrown instanceof Error ? thrown.message : String(thrown);
      this.targets = noTargets;
      this.wakeAtMs = undefined;
      return true;
    } finally {
      this.needsDecision = false;
      this.trades = [];
      this.fills = [];
    }
    return decision.type === "set";
  }

  /** Sentences about old names that decisions used since the last call. */
  takeWarnings(): readonly string[] {
    const warnings = this.#warnings;
    this.#warnings = [];
    return warnings;
  }

  #noteOldName(name: string): void {
    if (this.#warnedNames.has(name)) return;
    this.#warnedNames.add(name);
    this.#warnings.push(
      `strategy ${this.name} uses the old name "${name}": ${renamedFields[name] ?? "it was renamed"}`,
    );
  }

  /** The newest targets are placed again: their orders were pulled for a reason that is over. */
  wantAnew(): void {
    for (const target of this.targets.quotes) target.placed = !target.place;
  }
}

/** What to write instead of an old name of a decision's field. */
const renamedFields: Readonly<Record<string, string>> = {
  why: 'write setQuotes({ reason }) instead of setQuotes({ why }); "why" goes away with the next minor version',
};

/** A time that is past means a millisecond later, so that a careless strategy does not spin. */
function wakeOf({ wakeAtMs }: Decision, nowMs: number): number | undefined {
  if (wakeAtMs === undefined) return undefined;
  if (!Number.isFinite(wakeAtMs)) throw new TypeError(`wakeAtMs is ${wakeAtMs}, not a time`);
  return Math.max(wakeAtMs, nowMs + 1);
}
