import { fixedText } from "../domain/fixed.ts";
import type { RiskStep } from "../domain/risk-step.ts";
import type { SourceRow } from "../kernel/sources/sources.ts";
import type { Note } from "../kernel/note.ts";
import type { CallTimeRow } from "./call-time-row.ts";
import type { Described } from "../domain/described.ts";
import type { Counts } from "./counters.ts";
import type { DenialRow } from "./denials.ts";
import type { NetFigures } from "./net-fold.ts";
import type { Portfolio } from "./portfolio.ts";
import type { PositionFigures } from "./position-figures.ts";
import type { UptimeShares } from "../journal/uptime-sum.ts";

/** The fields that the summary has for the whole run and for each strategy. Amounts are decimal text. */
export interface SummaryFields extends Readonly<Counts> {
  /** Orders that the risk rules denied, by rule. */
  readonly denied: readonly DenialRow[];
  /** The strategy's own numbers at the end (`describe`); left out without any, and over several strategies. */
  readonly described?: Described;
  /** Filled quantity in base token; null over several markets. */
  readonly volumeBase: string | null;
  /** Filled value in quote token; null over several markets. */
  readonly volumeQuote: string | null;
  /** Fees paid, by token id. */
  readonly fees: Readonly<Record<string, string>>;
  /** Change by own fills, net of fees, by token id. */
  readonly inventory: Readonly<Record<string, string>>;
  /** In quote token, at average cost, after fees; null over several markets. */
  readonly realisedPnl: string | null;
  /** At the newest mid; null over several markets, and when a position is open and no mid was ever known. */
  readonly unrealisedPnl: string | null;
  /** Over all runs with this journal, while the fields above are of this run; null over several markets, left out by replays. */
  readonly position?: PositionFigures | null;
  /** Share of the time with a resting bid, 0 to 1; see `Uptime`. Of several strategies the lowest, as the next two; null where none ever wanted a bid. */
  readonly uptimeBid: number | null;
  readonly uptimeAsk: number | null;
  /** Share of the time in which the quotes kept the strategy's `obligation`; null without one. */
  readonly uptimeObligation: number | null;
  readonly ordersLeft: number | null;
  readonly unknownOutcomes: number;
  readonly bookResyncs: number;
  /** Comparisons of the local book with the venue's at equal update ids. */
  readonly bookAudits: number;
  /** Audits in which the two books differed. */
  readonly bookAuditMismatches: number;
  /** Time in which the market's depth channel or the user channel was behind or closed, which is no uptime; of several strategies the longest. */
  readonly staleMs: number;
  /** Time between the public trade and the user event of an own fill, whichever came first; null without such fills. */
  readonly ownTradeLagP50Ms: number | null;
  readonly ownTradeLagP99Ms: number | null;
  readonly ownTradeLagMaxMs: number | null;
  readonly tickToOrderP50Us: number | null;
  readonly tickToOrderP99Us: number | null;
}

/** A step of the risk ladder that a trigger reached. */
export interface SummaryRiskStep {
  /** Unix time of the batches' clock. */
  readonly atMs: number;
  /** Null for a trigger of the whole bot. */
  readonly strategy: string | null;
  readonly trigger: string;
  readonly step: RiskStep;
  readonly message: string;
}

/** A derived limit. `of`: its market or strategy; null for the whole bot. */
export interface SummaryLimit {
  readonly limit: string;
  readonly of: string | null;
  readonly value: string;
}

export function limitOf({ limit, of, value }: Extract<Note, { type: "limit" }>): SummaryLimit {
  return { limit, of: of ?? null, value: fixedText(value) };
}

export interface Summary extends SummaryFields {
  /** Limits that the configuration leaves unset, as they were derived; left out when there are none. */
  readonly derivedLimits?: readonly SummaryLimit[];
  /** Left out when the risk ladder did nothing. */
  readonly riskSteps?: readonly SummaryRiskStep[];
  readonly durationMs: number;
  /** All positions over all runs; left out by replays. */
  readonly portfolio?: Portfolio;
  /** Uptime as the mean over the strategies that wanted quotes; of the obligation over those that have one. */
  readonly meanUptime: UptimeShares;
  /** HTTP requests of the run: commands, reads with all their pages, and those about a session wallet. */
  readonly requests: number;
  /** `requests` for each unit of quote token filled; null without fills and over several markets. */
  readonly requestsPerQuoteVolume: number | null;
  readonly foreignOrders: number | null;
  /** Time with a connected guard process; left out when there was none. */
  readonly guardedMs?: number;
  readonly signer: string;
  /** Change of the account's balances that nothing explains (`BALANCE_DRIFT`), by token id; left out when there is none. */
  readonly balanceDrift?: Readonly<Record<string, string>>;
  /** How often each statement of the venue was doubted, by code; left out when none was. */
  readonly doubts?: Readonly<Record<string, number>>;
  /** The counted orders were signed and not sent; left out unless the run was dry. */
  readonly dryRun?: true;
  /** How long the strategies' functions took, in microseconds; left out by replays. */
  readonly strategyCalls?: readonly CallTimeRow[];
  /** The price sources at the end; left out without any. */
  readonly sources?: readonly SourceRow[];
  /** Strategies with several markets, all of them together; left out when there is none. */
  readonly nets?: readonly ({ readonly name: string } & NetFigures)[];
  /** Present only with several strategies or markets: a strategy's part in another market is a row of its own, such as `maker/hedge`. */
  readonly strategies?: readonly ({ readonly name: string } & SummaryFields)[];
}
