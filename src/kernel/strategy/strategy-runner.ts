import type { Trade } from "../../domain/depth.ts";
import type { Fill } from "../../domain/order.ts";
import type { RiskStep } from "../../domain/risk-step.ts";
import type { Side } from "../../domain/side.ts";
import type { Plan } from "../../execution/planner.ts";
import type { CarriedState } from "../../orders/carried.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { WakeOn } from "../../strategy/contract.ts";
import { faultOf, shown } from "../../strategy/shown.ts";
import type { MarketView } from "../../strategy/view.ts";
import type { StrategyBinding } from "../config.ts";
import type { QuoteMode } from "../risk/risk-state.ts";
import { StopRecords } from "../stop-records.ts";
import { noTargets, type TargetQuote, type Targets, targetsOf } from "../targets.ts";

/** Most public trades that are kept for one decision; the oldest are dropped first. */
const MAX_TRADES = 10_000;
/** A state that changes without own fills is saved this often at most. */
const STATE_MS = 1_000;

/**
 * A running strategy: its state, its newest targets, and what happened since its last decision. Most fields collect what happens for the
 * next decision and are cleared together by it, so they stay in one place.
 */
export class StrategyRunner {
  readonly binding: StrategyBinding;
  /** What `init` made; undefined before the first decision. */
  #memory: { readonly state: unknown } | undefined;
  targets: Targets = noTargets;
  /** The strategy has set targets in this run. */
  hasDecided = false;
  readonly stops = new StopRecords();
  wakeAtMs: number | undefined;
  /** What calls it before `wakeAtMs`. */
  wakeOn: WakeOn = "data";
  /** Set when the plugin threw or returned no valid decision: it is never called again, and its orders are canceled. */
  fault: { readonly message: string; readonly stack: string | undefined } | undefined;
  /**
   * The fewest changes towards the targets, planned once per decision and sent as the rate budget allows. Orders are not compared
   * with the targets again before the next decision, so a partial fill alone replaces nothing.
   */
  plan: Plan<TargetQuote> | undefined;
  /** The newest plan did not know an order as it is now: one showed up, came into doubt, or is open after its cancel. */
  needsPlan = false;
  /** The kernel pulled its quotes in the last step, for example because of a pause or a stale book. */
  isPulled = false;
  /** Its quotes were pulled, and it has not set new ones since. */
  quotesPulled = false;
  /** An operator paused it. */
  isPaused = false;
  /** The step of the risk ladder that was noted last, and what it did to quotes at the last decision. */
  riskStep: RiskStep = "normal";
  quoteMode: QuoteMode = "free";
  /** The newest intent when the ladder last began or ended to restrict quotes: orders up to it serve no quote any more. */
  outdatedTo = Number.NEGATIVE_INFINITY;
  /** It has to decide, whatever it waits for. */
  needsDecision = true;
  /** Since its last decision something happened to its orders, or in its market. */
  readonly news = { orders: false, market: false };
  trades: Trade[] = [];
  fills: { readonly fill: Fill; readonly order: TrackedOrder }[] = [];
  /** Until when a side waits after a refused placement, and how many were refused in a row. */
  readonly cooldown: Record<Side, { untilMs: number; refusals: number }> = {
    BUY: { untilMs: 0, refusals: 0 },
    SELL: { untilMs: 0, refusals: 0 },
  };
  /** When it last set targets; 0 before. */
  decidedMs = 0;
  /** Mid of the newest plan with a book; 0 without one. Tolerances are shares of it. */
  plannedMid = 0;
  /** Requests a second that its newest plan stands for, if each decision causes as many. */
  demand = 0;
  /** When a side last sent a quote, and in which turn (`RequestState.turn`). */
  readonly sent: Record<Side, { turn: number; atMs: number }> = {
    BUY: { turn: 0, atMs: 0 },
    SELL: { turn: 0, atMs: 0 },
  };
  /** Why quotes of the newest plan could not be sent, by side. */
  readonly held: Record<Side, string | undefined> = { BUY: undefined, SELL: undefined };
  /** When the state was last compared with the saved one, and the JSON that was saved last. */
  #savedMs = 0;
  #saved: string | undefined;
  /** What an earlier run saved. */
  #loaded: CarriedState | undefined;
  /** What happened to the state since then. */
  #unsaved: "nothing" | "decision" | "fill" = "nothing";
  /** The reason last noted for a side, so that only changes are noted. */
  readonly lastReason: Record<Side, string | undefined> = { BUY: undefined, SELL: undefined };

  constructor(binding: StrategyBinding) {
    this.binding = binding;
  }

  get name(): string {
    return this.binding.name;
  }

  /**
   * Continues with the state that an earlier run saved. Returns why it is not used when another plugin saved it. A state that cannot
   * be loaded sets `fault` at the first decision.
   */
  restoreState(saved: CarriedState): string | undefined {
    const { definition } = this.binding;
    if (saved.definition !== definition.name)
      return `was saved by the strategy ${saved.definition}`;
    if (definition.state === undefined) return "is no longer kept by its plugin";
    this.#loaded = saved;
    this.#saved = saved.data;
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
      const data = JSON.stringify(keeping.save(this.#memory?.state));
      if (data === undefined) throw new TypeError("it returned nothing");
      if (data === this.#saved) return;
      this.#saved = data;
      const { version } = keeping;
      return { type: "state", strategy, marketId, definition: definition.name, version, data };
    } catch (thrown) {
      const { message, stack } = faultOf(thrown, "save");
      this.fault = { message: `its state cannot be saved: ${message}`, stack };
      return undefined;
    }
  }

  noteTrade(trade: Trade): void {
    if (this.trades.length >= MAX_TRADES) this.trades.shift();
    // Every strategy of the market gets this object.
    this.trades.push(Object.freeze(trade));
    this.news.market = true;
  }

  noteFill(fill: Fill, order: TrackedOrder): void {
    this.fills.push({ fill, order });
    this.news.orders = true;
  }

  isDue(nowMs: number): boolean {
    const { wakeOn, news } = this;
    return (
      this.needsDecision ||
      (this.wakeAtMs !== undefined && this.wakeAtMs <= nowMs) ||
      (news.orders && wakeOn !== "time") ||
      (news.market && wakeOn === "data")
    );
  }

  /** Until when market data alone calls neither the strategy nor `takeState`; -Infinity when they may now. */
  get sleepsUntilMs(): number {
    if (this.wakeOn === "data") return Number.NEGATIVE_INFINITY;
    const isUnsaved = this.binding.definition.state !== undefined && this.#unsaved !== "nothing";
    const { wakeAtMs = Number.POSITIVE_INFINITY } = this;
    return isUnsaved ? Math.min(wakeAtMs, this.#savedMs + STATE_MS) : wakeAtMs;
  }

  /**
   * Calls the strategy's `decide` once. Returns true when it set new targets. Whatever it throws or returns instead of a decision
   * sets `fault`; everything that it returns is read in here, and copied.
   */
  decide(view: MarketView): boolean {
    if (this.fills.length > 0) this.#unsaved = "fill";
    else if (this.#unsaved === "nothing") this.#unsaved = "decision";
    try {
      return this.#call(view);
    } catch (thrown) {
      this.fault = faultOf(thrown, this.#memory === undefined ? "init" : "decide");
      this.targets = noTargets;
      this.wakeAtMs = undefined;
      return true;
    } finally {
      this.needsDecision = false;
      this.news.orders = false;
      this.news.market = false;
      this.trades = [];
      this.fills = [];
    }
  }

  #call(view: MarketView): boolean {
    const { definition, params, seed } = this.binding;
    if (this.#memory === undefined) {
      const state: unknown = definition.init({ params, seed });
      refusePromise(state, "init");
      this.#memory = { state: this.#continued(state) };
    }
    const decision = definition.decide({ view, params, state: this.#memory.state });
    checkDecision(decision);
    this.wakeAtMs = wakeOf(decision.wakeAtMs, view.nowMs);
    this.wakeOn = wakeOnOf(decision.wakeOn, this.wakeAtMs);
    if (decision.type === "keep") return false;
    this.targets = targetsOf(decision, view.rules);
    this.hasDecided = true;
    this.decidedMs = view.nowMs;
    this.quotesPulled = false;
    this.stops.applyTargets(this.targets.stops, view.nowMs);
    return true;
  }

  /** The state that an earlier run saved, or else the one that `init` made. Throws when it cannot be loaded. */
  #continued(state: unknown): unknown {
    const { state: keeping } = this.binding.definition;
    if (this.#loaded === undefined || keeping === undefined) return state;
    const { data, version } = this.#loaded;
    try {
      const loaded: unknown = keeping.load(JSON.parse(data), version, state);
      refusePromise(loaded, "load");
      return loaded;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : shown(thrown);
      throw new Error(
        `the state that an earlier run saved (version ${version}) cannot be loaded: ${reason}`,
        { cause: thrown },
      );
    }
  }

  /**
   * Its quotes are being pulled. The target quotes go with them: their prices are of the market before the pull, so only a decision
   * after it places quotes again. Target stops stay in force.
   */
  pull(): void {
    if (this.isPulled) return;
    this.isPulled = true;
    this.quotesPulled = this.hasDecided;
    this.demand = 0;
    this.targets = { ...this.targets, quotes: [], reason: pulledReason };
  }
}

/** Shown while a strategy answers a pull with `keepQuotes()`, which keeps none. */
const PULLED = "its quotes were pulled, and it has set none since";
const pulledReason: Targets["reason"] = { BUY: PULLED, SELL: PULLED };

/** Now becomes one millisecond from now, so that a careless strategy does not spin. */
function wakeOf(wakeAtMs: unknown, nowMs: number): number | undefined {
  if (wakeAtMs === undefined) return undefined;
  if (typeof wakeAtMs !== "number" || !Number.isFinite(wakeAtMs)) {
    throw new TypeError(`wakeAtMs is ${shown(wakeAtMs)}, not a time in milliseconds`);
  }
  if (wakeAtMs < nowMs) {
    throw new TypeError(
      `wakeAtMs is ${shown(wakeAtMs)}, a time before view.nowMs (${nowMs}); write Unix milliseconds, such as view.nowMs + 1000`,
    );
  }
  return Math.max(wakeAtMs, nowMs + 1);
}

function wakeOnOf(wakeOn: unknown, wakeAtMs: number | undefined): WakeOn {
  if (wakeOn === undefined || wakeOn === "data") return "data";
  if (wakeOn !== "orders" && wakeOn !== "time") {
    throw new TypeError(`wakeOn is ${shown(wakeOn)}, not "data", "orders" or "time"`);
  }
  if (wakeOn === "time" && wakeAtMs === undefined) {
    throw new TypeError('wakeOn "time" needs wakeAtMs: nothing else would call decide again');
  }
  return wakeOn;
}

/** Throws TypeError when a strategy returned something that is not a decision. */
function checkDecision(returned: unknown): void {
  refusePromise(returned, "decide");
  const type: unknown =
    typeof returned === "object" && returned !== null
      ? (returned as { readonly type?: unknown }).type
      : undefined;
  if (type === "set" || type === "keep") return;
  throw new TypeError(
    `decide returned ${shown(returned)}, not a decision; return setQuotes(…), noQuotes(…) or keepQuotes()`,
  );
}

/** Throws TypeError when a strategy's function is asynchronous. */
function refusePromise(returned: unknown, what: "init" | "load" | "decide"): void {
  if (typeof returned !== "object" || returned === null) return;
  const { then } = returned as { readonly then?: unknown };
  if (typeof then !== "function") return;
  // Nobody waits for it, and a rejection that is not handled would end the process.
  then.call(returned, ignore, ignore);
  throw new TypeError(
    `${what} returned a Promise; it must be synchronous: remove async and await, and load data before the start`,
  );
}

function ignore(): void {
  // The value or error of a refused Promise.
}
