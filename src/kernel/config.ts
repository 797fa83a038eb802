import type { Budget } from "../domain/budget.ts";
import type { Address, OrderId, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { TradesIn } from "../domain/market-roles.ts";
import type { Obligation } from "../orders/obligation.ts";
import type { RateLimit } from "../execution/rate-budget.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import type { RiskLimits } from "../risk/settings.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import type { SourceConfig } from "./sources/source-config.ts";

/** One strategy, and the markets that it trades in. */
export interface StrategyBinding extends TradesIn {
  /** Unique within a bot; names orders, notes and summaries. */
  readonly name: string;
  readonly definition: StrategyDefinition;
  /** Already parsed by the definition's schema. */
  readonly params: unknown;
  readonly seed: number;
  /** What it may use of the tokens of its own market; left out: all that the account has. */
  readonly budget?: Budget | undefined;
  /** Names of the sources that it sees; left out: all. */
  readonly sources?: readonly string[] | undefined;
  /** Measured by the summary; the kernel does not use it. */
  readonly obligation?: Obligation | undefined;
}

/** The kernel's periods and time limits, in milliseconds. */
export interface KernelTiming {
  /** Open orders are compared with ours this often, and after every reconnect. */
  readonly reconcileMs: number;
  readonly balancesMs: number;
  readonly venueTimeMs: number;
  /** The venue's markets are read again this often. */
  readonly marketsMs: number;
  /** First wait after a failed read; doubles up to `readRetryMaxMs`. */
  readonly readRetryMs: number;
  readonly readRetryMaxMs: number;
  /** First query about an order of unknown outcome after this; doubles up to `queryMaxMs`. */
  readonly queryFirstMs: number;
  readonly queryMaxMs: number;
  /** What the venue accepted shows in queries no later than this. */
  readonly inFlightMs: number;
  /** After a refused or rejected placement the side waits this long; doubles up to `refusalCooldownMaxMs`. */
  readonly refusalCooldownMs: number;
  readonly refusalCooldownMaxMs: number;
  /** A warning follows when a book changes for this long without being compared with a `depthSnapshot@` message. */
  readonly auditMs: number;
  /** How long a starting bot watches a market with foreign orders, before it quotes there, for the hand of another bot; 0: not at all. */
  readonly observeMs: number;
  /** What hints that a fact is wrong is followed by a read after this long (D38); Infinity: facts are not watched. */
  readonly channelCheckMs: number;
  /** A change of the balances that nothing explains for this long is a drift; Infinity: balances are not compared. */
  readonly driftMs: number;
  /** How long a stopping bot waits for its orders to be settled; then the run ends with them in doubt. */
  readonly stopMs: number;
}

export const defaultTiming: KernelTiming = {
  reconcileMs: 30_000,
  balancesMs: 30_000,
  venueTimeMs: 60_000,
  marketsMs: 60_000,
  readRetryMs: 250,
  readRetryMaxMs: 3_000,
  queryFirstMs: 250,
  queryMaxMs: 10_000,
  inFlightMs: 10_000,
  refusalCooldownMs: 1_000,
  refusalCooldownMaxMs: 60_000,
  auditMs: 60_000,
  observeMs: 10_000,
  channelCheckMs: 1_000,
  driftMs: 10_000,
  stopMs: 10_000,
};

/** The triggers of the risk ladder. */
export interface LadderConfig {
  readonly bot: TriggerValues;
  /** By name; a strategy that is left out has none of its own. */
  readonly strategies: Readonly<Record<string, TriggerValues>>;
  /** The step `widen` multiplies the distance of each quote from the mid by this. */
  readonly widenBy: number;
}

/** What the kernel does for a guard process. */
export interface GuardSettings {
  /** A standby cancel is replaced by a fresh one at this age, milliseconds. */
  readonly refreshMs: number;
  /** Nothing is quoted while no guard is connected. */
  readonly isRequired: boolean;
}

/** The limits that the configuration leaves unset. The kernel derives them from the first balances and mids. */
export interface LimitsToDerive {
  /** Derived in each market that does not set them. */
  readonly limits: readonly ("maxPosition" | "maxOrderNotional")[];
  /** Which scopes get a derived `dayLoss` that halts, besides the milder steps that are set: the whole bot, or strategies by name. */
  readonly dayLoss: "bot" | readonly string[];
}

/** The whole behaviour of a kernel, as a journal's header has it. */
export interface KernelConfig {
  /** Quotes are moved by modify where that is safe (D23). */
  readonly useModify: boolean;
  /**
   * The venue may accept a command for this long after its nonce, however late it arrives (D6, D37). Undefined where every request gets
   * its response: for `timing.inFlightMs` after its request ended.
   */
  readonly nonceWindowMs: number | undefined;
  /** A guard process may hold signed cancels of every own order. Undefined in modes that send nothing. */
  readonly guard: GuardSettings | undefined;
  /** `l1owner` of every command. */
  readonly owner: Address;
  readonly markets: readonly Market[];
  readonly strategies: readonly StrategyBinding[];
  /** Prices from elsewhere; left out: none. Their markets are in `markets`. */
  readonly sources?: readonly SourceConfig[];
  readonly rate: RateLimit;
  /** Positions are published in `Step.carried`; not where no run follows this one. */
  readonly carriesPositions: boolean;
  readonly risk: RiskLimits;
  /** Undefined in modes that derive no limits (docs/decisions/029). */
  readonly limitsToDerive: LimitsToDerive | undefined;
  /** Currency in which the limits of the whole bot count; left out: the main quote token, if the markets have one. */
  readonly reportingCurrency?: TokenId | undefined;
  /** The risk ladder. Undefined without triggers. */
  readonly ladder: LadderConfig | undefined;
  readonly timing: KernelTiming;
  /**
   * A random order id. The refusal of its cancel as "no such order" proves chain id and signer before the first quote. Undefined
   * leaves the probe out.
   */
  readonly probeOrderId: OrderId | undefined;
}
