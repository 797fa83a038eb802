import { suggestion } from "../../base/nearest.ts";
import type { Fixed } from "../../domain/fixed.ts";
import type { TokenId } from "../../domain/ids.ts";
import type { RiskStep } from "../../domain/risk-step.ts";
import type { CarriedState } from "../../orders/carried.ts";
import { decisionParts, type SetDecision, type WakeOn } from "../../strategy/contract.ts";
import type { Described } from "../../domain/described.ts";
import { describedBy } from "../../strategy/described-by.ts";
import { faultOf, shown } from "../../strategy/shown.ts";
import type { MarketView } from "../../strategy/view.ts";
import type { CheckedWarmUp } from "../../strategy/warm-up.ts";
import type { StrategyBinding } from "../config.ts";
import { newOperatorState } from "../operator-state.ts";
import { warmUpOf } from "../wanted-history.ts";
import type { TrackedSource } from "../sources/tracked-source.ts";
import type { FlattenLeft } from "../takes/flatten-left.ts";

/** A state that changes without own fills is saved this often at most. */
const STATE_MS = 1_000;

/** A market of the strategy, as a decision sets it. */
interface DecidedSlot {
  readonly role: string;
  readonly fills: readonly unknown[];
  setTargets(decision: SetDecision, nowMs: number): void;
  dropTargets(): void;
  forgetNews(): void;
}

/** A running strategy: its state, and when it has to decide. What it wants in a market is in the slot of that market. */
export class StrategyRunner {
  readonly binding: StrategyBinding;
  /** The price sources that it sees. */
  sources: readonly TrackedSource[] = [];
  /** What `init` made; undefined before the first decision. */
  #memory: { readonly state: unknown } | undefined;
  /** Parsed by the plugin's schema. */
  params: unknown;
  /** Counts the parameters of this run, from 1. */
  paramsVersion = 1;
  wakeAtMs: number | undefined;
  /** What calls it before `wakeAtMs`. */
  wakeOn: WakeOn = "data";
  /** Set when the plugin threw or returned no valid decision: it is never called again, and its orders are canceled. */
  fault: { readonly message: string; readonly stack: string | undefined } | undefined;
  /** The history that it needs; undefined for none. */
  readonly warmUp: CheckedWarmUp | undefined;
  /** It is not called before its history is there. */
  awaitsHistory: boolean;
  readonly operator = newOperatorState();
  /** Its positions are being worked off, until then once the bot runs; undefined while they are not. */
  flattening:
    | {
        readonly withinMs: number;
        untilMs: number | undefined;
        /** By base token, how much of opposite positions is worked off at a time. */
        readonly parts: Map<TokenId, Fixed>;
      }
    | undefined;
  /** What the newest flatten left; undefined before the first has ended. */
  left: readonly FlattenLeft[] | undefined;
  /** The step of the risk ladder that was noted last. */
  riskStep: RiskStep = "normal";
  /** It has to decide, whatever it waits for. */
  needsDecision = true;
  /** Since its last decision something happened to its orders, or in its markets. */
  readonly news = { orders: false, market: false };
  /** When the state was last compared with the saved one, and the JSON that was saved last. */
  #savedMs = 0;
  #saved: string | undefined;
  /** What an earlier run saved. */
  #loaded: CarriedState | undefined;
  /** What happened to the state since then. */
  #unsaved: "nothing" | "decision" | "fill" = "nothing";

  constructor(binding: StrategyBinding) {
    this.binding = binding;
    this.params = binding.params;
    const warmUp = warmUpOf(binding);
    if (warmUp instanceof Error) this.fault = faultOf(warmUp, "warmUp");
    this.warmUp = warmUp instanceof Error ? undefined : warmUp;
    this.awaitsHistory = this.warmUp !== undefined;
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

  /** Takes new parameters, and decides at the next occasion. An exception of the strategy sets `fault`. */
  tune(params: unknown): void {
    this.params = params;
    this.paramsVersion += 1;
    this.needsDecision = true;
    try {
      if (this.#memory !== undefined)
        this.binding.definition.tuned?.({ params, state: this.#memory.state });
    } catch (thrown) {
      this.fault = faultOf(thrown, "tuned");
    }
  }

  /** Its own numbers now; none before `init` and after a fault. */
  get described(): Described {
    if (this.#memory === undefined || this.fault !== undefined) return {};
    return describedBy(this.binding.definition, this.#memory.state);
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
   * Calls the strategy's `decide` once, and sets the new targets of its slots, its own market's first. Whatever it throws or returns instead of a decision sets
   * `fault`.
   */
  decide(view: MarketView, slots: readonly DecidedSlot[]): void {
    if (slots.some(({ fills }) => fills.length > 0)) this.#unsaved = "fill";
    else if (this.#unsaved === "nothing") this.#unsaved = "decision";
    try {
      this.#call(view, slots);
    } catch (thrown) {
      this.fault = faultOf(thrown, this.#memory === undefined ? "init" : "decide");
      for (const slot of slots) slot.dropTargets();
      this.wakeAtMs = undefined;
    } finally {
      this.needsDecision = false;
      this.news.orders = false;
      this.news.market = false;
      for (const slot of slots) slot.forgetNews();
    }
  }

  #call(view: MarketView, slots: readonly DecidedSlot[]): void {
    const { definition, seed } = this.binding;
    const { params } = this;
    if (this.#memory === undefined) {
      const state: unknown = definition.init({ params, seed });
      refusePromise(state, "init");
      this.#memory = { state: this.#continued(state) };
    }
    const decision = definition.decide({ view, params, state: this.#memory.state });
    checkDecision(decision);
    this.wakeAtMs = wakeOf(decision.wakeAtMs, view.nowMs);
    this.wakeOn = wakeOnOf(decision.wakeOn, this.wakeAtMs);
    for (const [role, part] of decisionParts(decision)) {
      const slot = slots.find((one) => one.role === role);
      if (slot === undefined) throw unknownMarket(role, slots);
      checkPart(part, role);
      if (part.type === "set") slot.setTargets(part, view.nowMs);
    }
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
}

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
  if (type === "set" || type === "keep" || type === "markets") return;
  throw new TypeError(
    `decide returned ${shown(returned)}, not a decision; return setQuotes(…), noQuotes(…) or keepQuotes()`,
  );
}

function checkPart(part: unknown, role: string): void {
  const { type } = (part ?? {}) as { readonly type?: unknown };
  if (type === "set" || type === "keep") return;
  throw new TypeError(
    `the decision for the market "${role}" is ${shown(part)}; write setQuotes(…), noQuotes(…) or keepQuotes()`,
  );
}

function unknownMarket(role: string, slots: readonly DecidedSlot[]): TypeError {
  const roles = slots.map((slot) => slot.role);
  return new TypeError(
    `the strategy decided for a market "${role}", which it does not have${suggestion(role, roles)}; its markets are ${roles.join(", ")}`,
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
