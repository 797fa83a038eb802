import type { Trade } from "../domain/depth.ts";
import type { Fill } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { Plan } from "../execution/planner.ts";
import type { CarriedState } from "../orders/carried.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import type { Decision } from "../strategy/contract.ts";
import type { MarketView } from "../strategy/view.ts";
import type { StrategyBinding } from "./config.ts";
import { StopRecords } from "./stop-records.ts";
import { noTargets, type TargetQuote, type Targets, targetsOf } from "./targets.ts";

/** Most public trades that are kept for one decision; the oldest are dropped first. */
const MAX_TRADES = 10_000;
/** A state that changes without own fills is saved this often at most. */
const STATE_MS = 1_000;

/** A running strategy: its state, its newest targets, and what happened since its last decision. */
export class StrategyRunner {
  readonly binding: StrategyBinding;
  #state: unknown;
  targets: Targets = noTargets;
  /** The strategy has set targets in this run. */
  hasDecided = false;
  readonly stops = new StopRecords();
  wakeAtMs: number | undefined;
  /** Set when the plugin threw or returned an invalid decision: it is never called again, and its orders are canceled. */
  fault: string | undefined;
  /**
   * The fewest changes towards the targets, planned once per decision and sent as the rate budget allows. Orders are not compared
   * with the targets again before the next decision, so a partial fill alone replaces nothing.
   */
  plan: Plan<TargetQuote> | undefined;
  /** An order showed up that the newest plan did not know: the targets are compared with all orders again. */
  needsPlan = false;
  /** The kernel pulled its quotes in the last step, for example because of a pause or a stale book. */
  isPulled = false;
  /** Something happened in its market or to its orders since its last decision. */
  needsDecision = true;
  trades: Trade[] = [];
  fills: { readonly fill: Fill; readonly order: TrackedOrder }[] = [];
  /** Until when a side waits after a refused placement, and how many were refused in a row. */
  readonly cooldown: Record<Side, { untilMs: number; refusals: number }> = {
    BUY: { untilMs: 0, refusals: 0 },
    SELL: { untilMs: 0, refusals: 0 },
  };
  /** Why quotes of the newest plan could not be sent, by side. */
  readonly held: Record<Side, string | undefined> = { BUY: undefined, SELL: undefined };
  /** Old names for which a warning was given, so that each causes one warning. */
  readonly #warnedNames = new Set<string>();
  #warnings: string[] = [];
  /** When the state was last compared with the saved one, and the JSON that was saved last. */
  #savedMs = 0;
  #saved: string | undefined;
  /** What happened to the state since then. */
  #unsaved: "nothing" | "decision" | "fill" = "nothing";
  /** The reason last noted for a side, so that only changes are noted. */
  readonly lastReason: Record<Side, string | undefined> = { BUY: undefined, SELL: undefined };

  constructor(binding: StrategyBinding) {
    this.binding = binding;
    const { definition, params, seed } = binding;
    this.#state = definition.init({ params, seed });
  }

  get name(): string {
    return this.binding.name;
  }

  /**
   * Continues with the state that an earlier run saved. Returns why it is not used when another plugin saved it; a state that cannot
   * be loaded sets `fault`.
   */
  restoreState({ definition: savedBy, version, data }: CarriedState): string | undefined {
    const { definition } = this.binding;
    const { state: keeping } = definition;
    if (savedBy !== definition.name) return `was saved by the strategy ${savedBy}`;
    if (keeping === undefined) return "is no longer kept by its plugin";
    this.#saved = data;
    try {
      this.#state = keeping.load(JSON.parse(data), version, this.#state);
    } catch (thrown) {
      this.fault = `the state that an earlier run saved (version ${version}) cannot be loaded: ${messageOf(thrown)}`;
    }
    return undefined;
  }

  /** The state when it has to be saved now; undefined otherwise. An exception sets `fault`. */
  takeState(nowMs: number, isLast: boolean): CarriedState | undefined {
    const { definition, name: strategy, marketId } = this.binding;
    const { state: keeping } = definition;
    if (keeping === undefined || this.#unsaved === "nothing" || this.fault !== undefined) return;
    if (!isLast && this.#unsaved === "decision" && nowMs < this.#savedMs + STATE_MS) return;
    this.#savedMs = nowMs;
    this.#unsaved = "nothing";
    try {
      const data = JSON.stringify(keeping.save(this.#state));
      if (data === undefined) throw new TypeError("save returned nothing");
      if (data === this.#saved) return;
      this.#saved = data;
      const { version } = keeping;
      return { type: "state", strategy, marketId, definition: definition.name, version, data };
    } catch (thrown) {
      this.fault = `its state cannot be saved: ${messageOf(thrown)}`;
      return undefined;
    }
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

  /** Calls the strategy's `decide` once. Returns true when it set new targets. An exception or an invalid decision sets `fault`. */
  decide(view: MarketView): boolean {
    let decision: Decision;
    if (this.fills.length > 0) this.#unsaved = "fill";
    else if (this.#unsaved === "nothing") this.#unsaved = "decision";
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
        this.stops.applyTargets(this.targets.stops, view.nowMs);
      }
    } catch (thrown) {
      this.fault = messageOf(thrown);
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

  /** Warnings about old names that decisions used since the last call. */
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

  /** Marks the newest targets to be placed again, after their orders were pulled. */
  replaceTargets(): void {
    for (const target of this.targets.quotes) target.placed = !target.place;
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** By old field name of a decision: what to write instead. */
const renamedFields: Readonly<Record<string, string>> = {
  why: 'write setQuotes({ reason }) instead of setQuotes({ why }); "why" goes away with the next minor version',
};

/** A time in the past becomes one millisecond from now, so that a careless strategy does not spin. */
function wakeOf({ wakeAtMs }: Decision, nowMs: number): number | undefined {
  if (wakeAtMs === undefined) return undefined;
  if (!Number.isFinite(wakeAtMs)) throw new TypeError(`wakeAtMs is ${wakeAtMs}, not a time`);
  return Math.max(wakeAtMs, nowMs + 1);
}
