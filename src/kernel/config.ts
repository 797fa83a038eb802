import type { Address, MarketId, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
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
  /** The venue's markets are read again this often; undefined, as in older journals: never. */
  readonly marketsMs?: number;
  /** First wait after a failed read; doubles up to `readRetryMaxMs`. */
  readonly readRetryMs: number;
  readonly readRetryMaxMs: number;
  /** First query about an order of unknown outcome after this; doubles up to `queryMaxMs`. */
  readonly queryFirstMs: number;
  readonly queryMaxMs: number;
  /** What the venue accepted shows in queries no later than this. */
  readonly inFlightMs: number;
  /** An acknowledged order counts as lost once no source of the venue has known it for this long; undefined: never. */
  readonly lostMs?: number;
  /** After a refused or rejected placement the side waits this long; doubles up to `refusalCooldownMaxMs`. */
  readonly refusalCooldownMs: number;
  readonly refusalCooldownMaxMs: number;
  /** A warning follows when a book changes for this long without being compared with a `depthSnapshot@` message. */
  readonly auditMs: number;
  /**
   * How long a starting bot watches foreign orders in its markets, before it quotes, for the hand of another bot. Undefined, as in
   * older journals: not at all.
   */
  readonly observeMs?: number;
  /**
   * A sign that a channel is behind is checked over REST after this long (D38). Undefined, as in older journals, or Infinity: channels
   * are not watched one by one.
   */
  readonly channelCheckMs?: number;
  /**
   * A change of the balances that nothing explains for this long is a drift. Undefined, as in older journals, or Infinity: balances
   * are not compared.
   */
  readonly driftMs?: number;
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
  lostMs: 120_000,
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
  /** The step `widen` moves take profit and stop loss with their quote. Default false. */
  readonly widensTpsl?: boolean;
  /**
   * No more than this of the time between two evaluations counts towards `recoverAfter`, milliseconds, since nothing was measured meanwhile.
   * Absent: all of it counted.
   */
  readonly countedGapMs?: number;
  /** The day of `dayLoss` is that of the venue's clock. Absent: it is that of the machine's. */
  readonly daysByVenueClock?: true;
  /** A day of `dayLoss` goes on when a clock that was days away returns to it. Absent: the loss was counted from the wrong clock on. */
  readonly returnsToDays?: true;
  /**
   * A day of `dayLoss` also goes on when the clock returns to it from the day before or after, at a later time than it left
   * (docs/decisions/243). Absent: the loss was counted from the first midnight on.
   */
  readonly returnsOverMidnight?: true;
  /**
   * Each refused or rejected order counts once among the rejects, and a refused modify does not. Absent: an order that was refused and then rejected
   * counted twice, and a refused modify once.
   */
  readonly rejectsByOrder?: true;
  /**
   * Nothing is quoted while a limit of the bot in amounts cannot be measured for want of a market's first mid (docs/decisions/244). Absent: the
   * other markets quoted without that limit.
   */
  readonly pullsUnmeasured?: true;
  /** Day and drawdown of the bot go on when it trades other markets than the run before. Absent: both were counted anew. */
  readonly keepsOverMarkets?: true;
}

/** What the kernel does for a guard process. */
export interface GuardSettings {
  /** A standby cancel is replaced by a fresh one at this age, milliseconds. */
  readonly refreshMs: number;
  /** Nothing is quoted while no guard is connected. */
  readonly isRequired: boolean;
  /**
   * All standby cancels are replaced when the venue's clock was set by half of `refreshMs` or more, since the venue may refuse their nonces.
   * Absent: each was replaced at its age.
   */
  readonly renewsByVenueClock?: true;
}

/** The limits that the configuration leaves unset. The kernel derives them from the first balances and mids. */
export interface LimitsToDerive {
  /** Derived in each market that does not set them. */
  readonly limits: readonly ("maxPosition" | "maxOrderNotional")[];
  /** Which scopes get a derived `dayLoss` that halts, besides the milder steps that are set: the whole bot, or strategies by name. */
  readonly dayLoss: "bot" | readonly string[];
  /**
   * A step of the loss stop that an earlier run left holds before this run derives its limit. Absent: it was forgotten unless the limit itself
   * was restored.
   */
  readonly keepsStep?: true | undefined;
  /** Derived limits are rounded down to this many digits. Absent: they are not rounded. */
  readonly significantDigits?: number | undefined;
}

/**
 * The whole behaviour of a kernel, as a journal's header has it. A setting whose comment has "Absent:" is on in every new run; journals older than the
 * setting lack it, and their re-runs do what the kernel did before (docs/decisions/205).
 */
export interface KernelConfig {
  /** Quotes are moved by modify where that is safe (D23). Default false. */
  readonly useModify?: boolean;
  /**
   * The venue may accept a command for this long after its nonce, however late it arrives (D6, D37). Undefined, as in older
   * journals: for `timing.inFlightMs` after its request ended.
   */
  readonly nonceWindowMs?: number | undefined;
  /**
   * An order in doubt of an earlier run is over at the first query after its nonce has expired. Absent: it had `timing.inFlightMs` in each
   * run, and a bot that was restarted more often never ended it.
   */
  readonly endsEarlierByNonce?: boolean;
  /**
   * When the nonce of an order in doubt has expired, the venue's clock is read, and the order ends only when that reading shows it
   * (docs/decisions/206). Absent: an older reading was enough, although the clock might have been set back since.
   */
  readonly readsClockAtExpiry?: boolean;
  /**
   * With `readsClockAtExpiry`: the first reading that shows the expiry is enough until one contradicts it, a reading that failed is repeated
   * after its wait, and a stop names the orders that wait for one. Absent: readings that came faster than the responses to queries kept the
   * order in doubt, each query asked for the clock at once, and a stop did not name those orders.
   */
  readonly keepsExpiryReading?: boolean;
  /**
   * While orders or reads wait for a token, pages of long lists get at most every other one (docs/decisions/261). Absent: pages went first,
   * so that a list without an end kept orders and other reads waiting for up to 1000 pages.
   */
  readonly sharesRateWithPages?: boolean;
  /**
   * After a power cut and a clock that was set, orders that are older by the nonce window count as lost ones, whichever clock it was
   * (docs/decisions/225). Absent: only when the venue's clock seemed to have gone back, and by as much.
   */
  readonly adoptsAfterSetClocks?: boolean;
  /**
   * After a power cut, only lists of open orders that come after the first reading of the venue's clock tell which orders the journal lost, and that
   * no more of them can appear (docs/decisions/260). Absent: lists before it, too, as if the venue's clock and ours agreed.
   */
  readonly listsAfterFirstReading?: boolean;
  /** A leg whose pair has ended is queried until a response is newer than that end. Absent: an older response ended the queries. */
  readonly queriesPairAgain?: boolean;
  /**
   * Orders of an earlier run are queried by id only when the first list of open orders lacks them, or has not come for three seconds
   * (docs/decisions/242). Absent: each was queried at once, before that list.
   */
  readonly listsRestoredFirst?: boolean;
  /** A leg that the venue shows open after its end counts again, as other orders do. Absent: it stayed ended. */
  readonly reopensLegs?: boolean;
  /**
   * A leg is canceled although a cancel of its pair is under way, when that has got no response or has not found the pair. Absent: a stop left it
   * open until the pair's end was shown.
   */
  readonly cancelsPairsApart?: boolean;
  /** A stop that gives up counts legs to their quote, which has the only request. Absent: among the orders without a response. */
  readonly countsNoLegsAsLate?: boolean;
  /**
   * A guard process may hold signed cancels of every own order. Undefined in modes that send nothing, and in journals that are older
   * than guards.
   */
  readonly guard?: GuardSettings;
  /** `l1owner` of every command. */
  readonly owner: Address;
  readonly markets: readonly Market[];
  readonly strategies: readonly StrategyBinding[];
  readonly rate: {
    readonly perSecond: number;
    readonly burst: number;
    readonly concurrency: number;
    /** Down to this rate the budget learns what the venue takes. */
    readonly floorPerSecond?: number;
    /** A request without a response for this long holds no slot from a cancel. */
    readonly hangingMs?: number;
    /** Tokens that the process used before the first step. */
    readonly spent?: number;
  };
  /**
   * Nonces are at most this far ahead of the venue's clock, milliseconds, unless only one ahead of all is left: half of a window that is
   * shorter than a minute. Undefined, as in older journals and with longer windows: 30 s.
   */
  readonly nonceAheadMs?: number;
  /**
   * New orders too take unused nonces near the venue's clock when that is far behind the highest nonce (D6). Absent: new orders waited for the
   * clock.
   */
  readonly unusedNonces?: boolean;
  /**
   * The probe takes a nonce near the venue's clock while cancels take those ahead of all others; when it is refused and an earlier run may have
   * used it, another one follows. Absent: the refusal of a nonce ahead of all others was taken for one of the signer, and the bot stopped.
   */
  readonly probesNearClock?: boolean;
  /** A book with more levels than this on a side is synced again. Absent in older journals: no limit. */
  readonly bookLevelsMax?: number;
  /**
   * While no connection can be made, the order to be replaced is canceled before its replacement is sent (docs/decisions/011). Absent: the
   * replacement was the command that tried the connection.
   */
  readonly cancelsFirstInOutage?: boolean;
  /**
   * A read that has waited for the rate budget for this long, in milliseconds, goes before more urgent ones, so that many orders in doubt keep
   * neither the book nor the list of open orders from being read.
   */
  readonly readWaitMs?: number;
  /**
   * A stop ends with a list of open orders that was requested after the end of the last own order, adopted ones included. Absent: a list of
   * the same millisecond, or from before an adoption, was enough.
   */
  readonly listsAfterEnds?: boolean;
  /** Quotes keep behind the touch of a newer book, too, that waits for its comparison with the live one. */
  readonly guardsByNewerBook?: boolean;
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
  /** An acknowledged order that the venue, queried by id, does not know is not modified: it is canceled. */
  readonly modifiesNoVanished?: boolean;
  /**
   * While the driver holds modifies back, because the disk hangs, quotes are canceled instead. Absent: each modify was made again and again,
   * and the order rested at its old price.
   */
  readonly cancelsHeldModifies?: boolean;
  /**
   * A refused modify counts among the three that turn modifies off once the venue shows its original, and not when that was filled
   * (docs/decisions/253). Absent: it counted at once.
   */
  readonly excusesFilledModifies?: boolean;
  /**
   * An end by an event is also checked by id when a cancel of the order has another outcome than success, and when it is said to be filled and
   * no fills of its whole size are known (docs/decisions/236). Absent: neither was.
   */
  readonly queriesDoubtfulEnds?: boolean;
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
  /** No run follows this one, so positions are not published in `Step.carried`. Default false. */
  readonly carriesNoPositions?: boolean;
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
  /** Undefined in modes that derive no limits, and in older journals (docs/decisions/029). */
  readonly limitsToDerive?: LimitsToDerive | undefined;
  /**
   * At the step `reduceOnly` a purchase whose fills are missing counts less the market's fee (docs/decisions/227). Absent: it counted
   * whole, so a sale could bring the position beyond 0 by that fee.
   */
  readonly reducesNetOfFees?: boolean;
  /** The risk ladder. Undefined, as in older journals: no triggers. */
  readonly ladder?: LadderConfig | undefined;
  readonly timing: KernelTiming;
  /**
   * A random order id. The refusal of its cancel as "no such order" proves chain id and signer before the first quote. Undefined
   * leaves the probe out.
   */
  readonly probeOrderId: OrderId | undefined;
}
