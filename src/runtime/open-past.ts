import { counted } from "../base/counted.ts";
import { NONCE_AHEAD_MAX_MS } from "../execution/nonce.ts";
import { beyondLostNonces } from "./last-nonces.ts";
import { TouchlineError } from "../base/error.ts";
import type { Address, MarketId } from "../domain/ids.ts";
import type { RunHeader } from "../journal/entry.ts";
import { restore, type RestoredJournal } from "../journal/restore.ts";
import type { CarriedItem, LostTail, Restored } from "../kernel/input.ts";
import { listSegments } from "../journal/segments.ts";
import { derivesLoss } from "../kernel/risk/missing-limits.ts";
import { riskCodes } from "../kernel/risk/risk-state.ts";
import type { CarriedPosition, CarriedRisk, CarriedRung } from "../orders/carried.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import { DURABLE_AGE_MAX_MS } from "./journal-writer.ts";
import type { Clock } from "../ports/clock.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";

/** What the venue's times may differ from the readings of its clock, besides half a round trip. */
const CLOCK_SLACK_MS = 1_000;

/** After this time the clock is beyond all nonces of a lost run. */
const LOST_RUN_MAX_MS = 60_000;
/** A start whose clock is behind the newest record begins higher by less than this, so that its nonces stay within 30 s of the venue's clock. */
const SET_BACK_SPREAD_MS = 10_000;
/** Nonces may go by our own clock up to here ahead of the venue's, for the same reason. */
const OWN_CLOCK_AHEAD_MAX_MS = 20_000;

export interface OpenPastPorts extends Pick<LivePorts, "store" | "bootId"> {
  /** Left out: nothing will be signed. */
  readonly clock?: Clock;
}

/**
 * Restores what earlier runs left (open orders, positions, pauses), and where orders may be open that the journal lost. Throws
 * TouchlineError `JOURNAL_DAMAGED` or `JOURNAL_OF_ANOTHER`.
 */
export function openPast(
  settings: Pick<LiveSettings, "journal" | "venue" | "isAccountShared">,
  { store, bootId, clock }: OpenPastPorts,
  owner: Address,
): Restored {
  const { path } = settings.journal;
  const past = restore(store, path);
  const { header, restored } = past;
  // The new run reads the venue's clock itself.
  const { lostTails = [], venueTime: _reading, ...known } = restored;
  if (header === undefined) return known;
  const isOther = header.kernel.owner !== owner || header.chainId !== settings.venue.chainId;
  const { carried = [], lastEntry: _, foreignIds: _foreign, ...rest } = known;
  const positions = openPositions(carried);
  if (isOther && restored.orders.length + positions.length > 0) {
    const orders = `${counted(restored.orders.length, "order")} that may still be open`;
    const held = positions.length === 0 ? "" : ` and ${positions.map(positionText).join(", ")}`;
    throw new TouchlineError(
      "JOURNAL_OF_ANOTHER",
      `The journal in ${path} belongs to ${header.kernel.owner} on chain ${header.chainId} and holds ${orders}${held}.`,
      {
        context: { path },
        hint: "Start that bot again to close them, or give this one a journal of its own (journal.path).",
      },
    );
  }
  // Pause, PnL, states and foreign orders of another account mean nothing to this one.
  if (isOther) return rest;
  const isSameBoot = bootId !== undefined && bootId === header.bootId;
  // Another boot may follow a lost run, also where the journal has a clean end (docs/decisions/256).
  const isWhole = isSameBoot && past.damagedMs === undefined;
  const nonceHighWater = isWhole ? known.nonceHighWater : beyondLostRun(past, clock?.nowMs());
  const tail = isWhole ? undefined : lostTail(past, header);
  const tails = tail === undefined ? lostTails : [...lostTails, tail];
  if (settings.isAccountShared === true || tails.length === 0) return { ...known, nonceHighWater };
  return { ...known, nonceHighWater, lostTails: tails };
}

/** The positions that are not flat. */
export function openPositions(carried: readonly CarriedItem[]): readonly CarriedPosition[] {
  return carried.filter(
    (item): item is CarriedPosition => item.type === "position" && item.base !== "0",
  );
}

export function positionText({ strategy, marketId, base }: CarriedPosition): string {
  return `a position of ${base} of ${strategy} in ${marketId}`;
}

/** Logs what the run begins with besides orders, and what of it no strategy of the configuration takes over. */
export function logPast(
  { carried = [] }: Restored,
  {
    strategies,
    journal,
    risk,
    limitsToDerive,
  }: Pick<LiveSettings, "strategies" | "journal" | "risk" | "limitsToDerive">,
  { log, store }: Pick<LivePorts, "log" | "store">,
): void {
  const isFirstRun = listSegments(store, journal.path).length === 0;
  if (!isFirstRun && !carried.some(({ type }) => type === "position")) {
    log.info(
      { journal: journal.path },
      "the earlier runs in the journal had no fills: positions start at 0; `touchline position set` corrects them",
    );
  }
  for (const item of carried) {
    if (item.type === "risk") {
      logRisk(item, heldRungs(item, { risk, strategies, limitsToDerive }), log);
      continue;
    }
    if (item.type !== "pause" || !item.isPaused) continue;
    const who = item.strategy === undefined ? "the bot" : `the strategy ${item.strategy}`;
    log.warn({ code: "PAUSED" }, `${who} is paused since an earlier run and quotes nothing`);
  }
  for (const position of openPositions(carried)) {
    const { strategy, marketId } = position;
    const isTaken = strategies.some((one) => one.name === strategy && one.marketId === marketId);
    if (isTaken) {
      log.info({ strategy, marketId }, `continues with ${positionText(position)}`);
    } else {
      log.warn(
        { code: "POSITION_LEFT", strategy, marketId },
        `the journal has ${positionText(position)}, which is not in the configuration: it is kept and counts in the limits of its market; see \`touchline position show\``,
      );
    }
  }
}

/** The steps of the risk ladder that a run of this configuration begins with: a trigger that it does not have is forgotten. */
export function heldRungs(
  { strategy, rungs }: CarriedRisk,
  { risk, strategies, limitsToDerive }: LadderSettings,
): readonly CarriedRung[] {
  const triggers: TriggerValues =
    strategy === undefined
      ? risk.triggers
      : (strategies.find(({ name }) => name === strategy)?.triggers ?? {});
  const configured = new Map(Object.entries(triggers));
  const hasDerivedLoss = derivesLoss(limitsToDerive, strategy);
  return rungs.filter(
    ({ trigger }) =>
      configured.get(trigger) !== undefined || (hasDerivedLoss && trigger === "dayLoss"),
  );
}

interface LadderSettings extends Pick<LiveSettings, "risk"> {
  readonly limitsToDerive?: LiveSettings["limitsToDerive"] | undefined;
  readonly strategies: readonly {
    readonly name: string;
    readonly triggers?: TriggerValues | undefined;
  }[];
}

function logRisk(
  { strategy }: CarriedRisk,
  held: readonly CarriedRung[],
  log: LivePorts["log"],
): void {
  const who = strategy === undefined ? "the bot" : `the strategy ${strategy}`;
  for (const { trigger, step } of held) {
    log.warn(
      { code: riskCodes[step], trigger, step },
      `${who} begins at the step ${step} of its risk ladder, which ${trigger} reached in an earlier run; \`touchline resume\` ends it`,
    );
  }
}

/**
 * When orders were placed that may be missing in the journal (docs/decisions/019); undefined when it has all of them: after a clean end, and
 * before the first order of a run.
 */
function lostTail(
  { restored, damagedMs }: RestoredJournal,
  header: RunHeader,
): LostTail | undefined {
  const { lastEntry, foreignIds } = restored;
  if (lastEntry === undefined) return undefined;
  const { nowMs, offsetMs, roundTripMs } = lastEntry;
  const errorMs = roundTripMs / 2 + CLOCK_SLACK_MS;
  const newestMs = Math.max(nowMs, damagedMs ?? nowMs);
  const { timing, nonceWindowMs } = header.kernel;
  const signedMs = Math.ceil(newestMs + offsetMs + errorMs + DURABLE_AGE_MAX_MS);
  const newestNonce = Math.min(
    beyondLostNonces(restored.nonceHighWater),
    signedMs + NONCE_AHEAD_MAX_MS,
  );
  return {
    sinceMs: Math.floor(nowMs + offsetMs - errorMs),
    offsetMs,
    ...(foreignIds === undefined ? {} : { foreignIds }),
    untilMs: signedMs + timing.inFlightMs,
    // The venue takes a command for this long after its nonce (D6), however late it arrives. A placement's nonce is at most 30 s ahead.
    ...(nonceWindowMs === undefined
      ? {}
      : { landsUntilMs: Math.max(signedMs, newestNonce) + nonceWindowMs }),
    marketIds: [...new Set(header.strategies.map(({ marketId }) => marketId as MarketId))],
  };
}

/**
 * The clock that the nonces of a lost run followed, minus ours: that of the newest reading, or our own, which cancels try when the venue refuses
 * them before the first reading.
 */
function clockMs(venueOffsetMs: number): number {
  return venueOffsetMs < -OWN_CLOCK_AHEAD_MAX_MS ? venueOffsetMs : Math.max(venueOffsetMs, 0);
}

/**
 * The highest nonce that runs may have used whose end, or all of which, a power cut took from the journal (docs/decisions/207). `startMs`: by
 * our clock.
 */
function beyondLostRun(
  { restored, damagedMs, newestMs: recordedMs = 0 }: RestoredJournal,
  startMs: number | undefined,
): number {
  const { nonceHighWater, venueOffsetMs } = restored;
  const newestMs = Math.max(recordedMs, damagedMs ?? recordedMs);
  // A lost run began above the nonces that are reserved, or by a clock. The highest nonce is that of the newest
  // record that can be read; those of a damaged end rose until its time.
  const byNumber =
    beyondLostNonces(nonceHighWater) + Math.min(newestMs - recordedMs, LOST_RUN_MAX_MS);
  const byClock =
    venueOffsetMs === undefined
      ? 0
      : Math.ceil(newestMs + clockMs(venueOffsetMs) + CLOCK_SLACK_MS + DURABLE_AGE_MAX_MS);
  // From there its nonces rose no faster than the time, whatever clock they followed. So each start begins above those between it and the record.
  const sinceMs = (startMs ?? newestMs) - newestMs;
  // A clock that was set back after the record does not tell how long ago that was, only two starts from each other (docs/decisions/229).
  const higherMs =
    sinceMs < 0
      ? (SET_BACK_SPREAD_MS + (sinceMs % SET_BACK_SPREAD_MS)) % SET_BACK_SPREAD_MS
      : Math.min(sinceMs, LOST_RUN_MAX_MS);
  return Math.max(byNumber, byClock) + higherMs;
}
