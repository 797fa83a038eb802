import { counted } from "../base/counted.ts";
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
import type { LivePorts, LiveSettings } from "./live-settings.ts";

/** Lost orders are looked for from this long before the journal's end on. */
const BEFORE_END_MS = 3_000;

/**
 * Restores what earlier runs left (open orders, positions, pauses), and where orders may be open that the journal lost. Throws
 * TouchlineError `JOURNAL_DAMAGED` or `JOURNAL_OF_ANOTHER`.
 */
export function openPast(
  settings: Pick<LiveSettings, "journal" | "venue" | "isAccountShared">,
  { store, bootId }: Pick<LivePorts, "store" | "bootId">,
  owner: Address,
): Restored {
  const { path } = settings.journal;
  const past = restore(store, path);
  const { header, restored } = past;
  if (header === undefined) return restored;
  const isOther = header.kernel.owner !== owner || header.chainId !== settings.venue.chainId;
  const { carried = [], lastEntryMs: _, ...rest } = restored;
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
  // Pause, PnL and states of another account mean nothing to this one.
  if (isOther) return rest;
  const isWhole = bootId !== undefined && bootId === header.bootId && !past.isDamaged;
  const tail = isWhole || settings.isAccountShared === true ? undefined : lostTail(past, header);
  return tail === undefined ? restored : { ...restored, lostTails: [tail] };
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
function lostTail({ restored }: RestoredJournal, header: RunHeader): LostTail | undefined {
  const { lastEntryMs, venueOffsetMs = 0 } = restored;
  if (lastEntryMs === undefined) return undefined;
  const { timing, nonceWindowMs } = header.kernel;
  const endMs = lastEntryMs + venueOffsetMs;
  const signedMs = endMs + DURABLE_AGE_MAX_MS + BEFORE_END_MS;
  return {
    sinceMs: endMs - BEFORE_END_MS,
    untilMs: signedMs + timing.inFlightMs,
    // The venue takes a command for this long after its nonce (D6), however late it arrives.
    ...(nonceWindowMs === undefined
      ? {}
      : { landsUntilMs: Math.max(signedMs, restored.nonceHighWater) + nonceWindowMs }),
    marketIds: [...new Set(header.strategies.map(({ marketId }) => marketId as MarketId))],
  };
}
