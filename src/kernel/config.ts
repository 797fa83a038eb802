import type { Address, MarketId, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { RateLimit } from "../execution/rate-budget.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import type { RiskLimits } from "../risk/settings.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";

/** One strategy that trades in one market. */
export interface StrategyBinding {
  /** Unique within a bot; names orders, notes and summaries. */
  readonly name: string;
  readonly definition: StrategyDefinition;
  /** Already parsed by the definition's schema. */
  readonly params: unknown;
  readonly marketId: MarketId;
  readonly seed: number;
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
  /** How long a starting bot watches foreign orders in its markets, before it quotes, for the hand of another bot; 0: not at all. */
  readonly observeMs: number;
  /** A sign that a channel is behind is checked over REST after this long (D38); Infinity: channels are not watched one by one. */
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
  readRetryMaxMs: 10_000,
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
  /**
   * Limits are derived, and a market without them is quoted, once two readings of the balances agree, and so does the mid with a public trade
   * or a second reading. Absent: the first readings were believed.
   */
  readonly readsTwice?: true | undefined;
  /** With `readsTwice`: readings that agree are compared with later ones until every limit is derived. Absent: a later reading was believed. */
  readonly comparesOn?: true | undefined;
}

/**
 * The whole behaviour of a kernel, as a journal's header has it. A setting whose comment has "Absent:" is on in every new run; journals older than the
 * setting lack it, and their re-runs do what the kernel did before (docs/decisions/205).
 */
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
  readonly rate: RateLimit;
  /** REST is compared with channels that nothing contradicts: silent ones, books without audits, own orders that are gone from a book (D38). */
  readonly crossChecks?: boolean;
  /**
   * A book that is read over REST to check a channel is not kept for a comparison, too (docs/decisions/266). Absent: one that was due for both
   * at once was only compared, and no silence was ever found.
   */
  readonly checksBeforeComparing?: boolean;
  /**
   * A depth channel is behind when nothing shows its book for twice the limit of `stale-book` (docs/decisions/267). Absent: a silent one counted
   * as live while its book could not be read.
   */
  readonly doubtsUnshownBooks?: boolean;
  /** An order whose event is overdue is queried again when a query showed nothing. Absent: one query that failed was the last. */
  readonly repeatsQueries?: boolean;
  /** The watch for another bot goes on for `timing.observeMs` after the first own quote. Absent: it ended before. */
  readonly watchesFirstQuotes?: boolean;
  /**
   * The list of transfers is read when nothing explains a change of the balances. Absent in older journals, and at a venue without such a list.
   */
  readonly listsTransfers?: boolean;
  /** A listed transfer explains one change, also after a list that left it out. Absent: it was forgotten with such a list. */
  readonly transfersExplainOnce?: boolean;
  /**
   * Of several listed transfers near a change of the balances, those that follow each other explain it. Absent: two transfers of the change's
   * amount explained nothing.
   */
  readonly transfersInRuns?: boolean;
  /**
   * A late event of a deposit, withdrawal or transfer explains a part of a drift of the balances, too, and a list of transfers explains the
   * oldest drift first. Absent: only an event of the whole amount explained a drift.
   */
  readonly explainsDriftInParts?: boolean;
  /**
   * A listed transfer and fills that only a list has shown may explain a change of the balances together, although the fills are near a
   * report. Absent: only a transfer of the whole change explained it.
   */
  readonly transfersWithFills?: boolean;
  /**
   * A pair of legs counts with the larger worth of the two, and what it paid in fills that are not known yet, before a report of the balances
   * has its lock. Absent: it counted with what its events told.
   */
  readonly countsPairLocks?: boolean;
  /**
   * A report of the balances has the lock of a stop order or leg at market only when it is not of a block before the order's. Absent: every
   * report that was requested after the order was acknowledged counted as having it.
   */
  readonly datesLocksByBlock?: boolean;
  /**
   * A report of the balances has every event that is ten seconds older, whatever block the event names. Absent: an event of a block that never
   * came changed every report.
   */
  readonly doubtsEventBlocks?: boolean;
  /**
   * A change of the balances is judged by later reports although the one that showed it first named a block that never comes. Absent: no drift
   * was found any more.
   */
  readonly doubtsOpenBlock?: boolean;
  /**
   * A report of the balances with a lower block than the last one is ignored and asked for again, for ten seconds. Absent: it was believed at
   * once, and the events after it were dropped.
   */
  readonly doubtsOldReports?: boolean;
  /**
   * That a venue was restarted from scratch takes five reports of the balances with lower blocks, and its events are kept until then. Absent:
   * two reports were enough, ten seconds apart or more, and its events were dropped.
   */
  readonly provesRestarts?: boolean;
  /**
   * A restart that later blocks disprove makes the next one take twice as long to be believed. Journals that are older than this setting lack
   * it: there each took ten seconds.
   */
  readonly remembersNodesBehind?: boolean;
  /** Positions are published in `Step.carried`; not where no run follows this one. */
  readonly carriesPositions: boolean;
  /**
   * When the venue's clock was set between two reports of the balances, both are dated by both clocks, and the clock is read before a change
   * counts as drift. Absent: a report had the clock of its time.
   */
  readonly redatesBalances?: boolean;
  /** The times of the venue's events show how high its clock has been before it was set back. Absent: only readings of the clock did. */
  readonly datesBalancesByEvents?: boolean;
  /**
   * A change of the balances counts as drift only after a list of fills that reaches up to it by the venue's clock, and a reading of that clock
   * corrects how far earlier lists reach. Absent: a list of fills that was requested later was enough.
   */
  readonly waitsForListedFills?: boolean;
  /**
   * An event of a time that the venue's clock has yet to reach dates the reports of the balances before it anew, too. Absent: only the later ones
   * had that time.
   */
  readonly redatesByEvents?: boolean;
  /**
   * When the venue's blocks come to those of before a restart from scratch within ten minutes, reports of the balances were of a node that was
   * behind, and the search for drifts goes on from before. Absent: they were compared with that node's balances.
   */
  readonly disprovesRestarts?: boolean;
  /**
   * The search for drifts goes on from a restart from scratch with the events that have come since its first report, and an event of now in a block
   * of before shows that the blocks of before do not come back. Absent: these events were forgotten, and only reports decided.
   */
  readonly followsRestarts?: boolean;
  readonly risk: RiskLimits;
  /** Undefined in modes that derive no limits (docs/decisions/029). */
  readonly limitsToDerive: LimitsToDerive | undefined;
  /** Statements of the venue that cannot be are not used (docs/venue-doubts.md). Undefined, as in older journals: they are. */
  readonly doubts?: true;
  /** A fee in a token that the market does not trade is not booked as it is. Absent: it was kept beside the PnL. */
  readonly doubtsFeeTokens?: boolean;
  /** A booked trade with another price or quantity is a doubt. Absent: it was ignored. */
  readonly doubtsChangedFills?: boolean;
  /** A leg is no larger than its quote, whatever the venue says. Absent: a leg had any size that a report gave it. */
  readonly doubtsLegSizes?: boolean;
  /**
   * The effects name each statement of the venue that was not believed as it was said. Absent: the next run took a fill that this one
   * doubted for booked.
   */
  readonly journalsDoubts?: boolean;
  /**
   * A stop waits for the list of fills that a doubt has read, and a run that is killed before it leaves that list to the next one. Absent: an
   * order whose end came with a doubted fill, and with nothing executed, was forgotten with that end.
   */
  readonly awaitsDoubtedFills?: boolean;
  /** The risk ladder. Undefined without triggers. */
  readonly ladder: LadderConfig | undefined;
  readonly timing: KernelTiming;
  /**
   * A random order id. The refusal of its cancel as "no such order" proves chain id and signer before the first quote. Undefined
   * leaves the probe out.
   */
  readonly probeOrderId: OrderId | undefined;
}
