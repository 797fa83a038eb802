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

/** Most public trades that are kept for one decision; the oldest are dropped first. */
const MAX_TRADES = 10_000;

/** A running strategy: its state, its newest targets, and what happened since its last decision. */
export class StrategyRunner {
  readonly binding: StrategyBinding;
  readonly #state: unknown;
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
  /** An operator paused it. */
  isPaused = false;
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
    try {
      decision = this.binding.definition.decide({
        view,
        params: this.binding.params,
        state: this.#state,
      });
      checkKind(decision);
      this.wakeAtMs = wakeOf(decision, view.nowMs);
      if (decision.type === "set") {
        for (const name of decision.oldNames ?? []) this.#noteOldName(name);
        if (decision.why !== undefined) this.#noteOldName("why");
        this.targets = targetsOf(decision, view.rules);
        this.hasDecided = true;
        this.stops.applyTargets(this.targets.stops, view.nowMs);
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
  placeTargetsAgain(): void {
    for (const target of this.targets.quotes) target.placed = !target.place;
  }
}

/** By old field name of a decision: what to write instead. */
const renamedFields: Readonly<Record<string, string>> = {
  why: 'write setQuotes({ reason }) instead of setQuotes({ why }); "why" goes away with the next minor version',
};

/** Throws TypeError unless a plugin, whose types nobody checked, returned a decision. */
function checkKind(decision: unknown): void {
  const isObject = typeof decision === "object" && decision !== null;
  const kind: unknown = isObject ? Reflect.get(decision, "type") : undefined;
  if (kind === "set" || kind === "keep") return;
  throw new TypeError(
    `decide returned ${kindText(decision)}; it must return setQuotes(…), noQuotes(…) or keepQuotes() at once`,
  );
}

function kindText(value: unknown): string {
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  if (value === null) return "null";
  return typeof Reflect.get(value, "then") === "function"
    ? "a promise"
    : "an object of another kind";
}

/** A time in the past becomes one millisecond from now, so that a careless strategy does not spin. */
function wakeOf({ wakeAtMs }: Decision, nowMs: number): number | undefined {
  if (wakeAtMs === undefined) return undefined;
  if (!Number.isFinite(wakeAtMs)) throw new TypeError(`wakeAtMs is ${wakeAtMs}, not a time`);
  return Math.max(wakeAtMs, nowMs + 1);
}
