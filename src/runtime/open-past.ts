import { marketIdsOf, partOf, type TradesIn } from "../domain/market-roles.ts";
import { limitsToDerive, type UnsetLimits } from "../config/unset-limits.ts";
import { counted } from "../base/counted.ts";
import { TouchlineError } from "../base/error.ts";
import type { Address, TokenId } from "../domain/ids.ts";
import { restore } from "../journal/restore.ts";
import type { CarriedItem, Restored } from "../kernel/input.ts";
import { listSegments } from "../journal/segments.ts";
import { derivesLoss } from "../kernel/risk/missing-limits.ts";
import { riskCodes } from "../kernel/risk/risk-state.ts";
import type { CarriedPause, CarriedPosition, CarriedRisk, CarriedRung } from "../orders/carried.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";

/** Orders that a power cut took from the journal are looked for since this long before its newest entry, by clocks that may differ. */
const LOST_MARGIN_MS = 5_000;

export type OpenPastPorts = Pick<LivePorts, "store" | "bootId">;

/**
 * Restores what earlier runs left (open orders, positions, pauses), and where orders may be open that the journal lost. Throws
 * TouchlineError `JOURNAL_DAMAGED` or `JOURNAL_OF_ANOTHER`.
 */
export function openPast(
  settings: Pick<LiveSettings, "journal" | "venue" | "isAccountShared">,
  { store, bootId }: OpenPastPorts,
  owner: Address,
): Restored {
  const { path } = settings.journal;
  const { header, restored, isDamaged } = restore(store, path);
  if (header === undefined) return restored;
  const isOther = header.kernel.owner !== owner || header.chainId !== settings.venue.chainId;
  const { carried, lastEntry, ...rest } = restored;
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
  if (isOther) return { ...rest, carried: [] };
  // Only a restart of the machine takes entries from a journal.
  const isSameBoot = bootId !== undefined && bootId === header.bootId;
  const isWhole = (isSameBoot && !isDamaged) || lastEntry?.isOpen !== true;
  if (isWhole || settings.isAccountShared === true) return restored;
  const { nowMs, offsetMs } = lastEntry;
  // A start that ended before its first list leaves what it had to look for.
  const { lost } = restored;
  return {
    ...restored,
    lost: {
      sinceMs: Math.min(
        lost?.sinceMs ?? Number.POSITIVE_INFINITY,
        nowMs + offsetMs - LOST_MARGIN_MS,
      ),
      marketIds: marketIdsOf(header.strategies),
    },
  };
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
  { carried, orders }: Restored,
  {
    strategies,
    journal,
    risk,
    unsetLimits,
    reportingCurrency,
  }: LadderSettings & Pick<LiveSettings, "journal">,
  { log, store }: Pick<LivePorts, "log" | "store">,
): void {
  const isFirstRun = listSegments(store, journal.path).length === 0;
  if (!isFirstRun && !carried.some(({ type }) => type === "position")) {
    log.info(
      { journal: journal.path },
      "the earlier runs in the journal had no fills: positions start at 0; `touchline position set` corrects them",
    );
  }
  if (orders.length > 0) {
    log.info(
      { orders: orders.length },
      `${counted(orders.length, "order")} of the earlier run may be open: the venue's list tells, and those that fit are kept`,
    );
  }
  for (const item of carried) {
    if (item.type === "risk") {
      const settings = { risk, strategies, unsetLimits, reportingCurrency };
      logRisk(item, heldRungs(item, settings), log);
      continue;
    }
    if (item.type !== "pause") continue;
    const who = item.strategy === undefined ? "the bot" : `the strategy ${item.strategy}`;
    for (const { code, text } of carriedStops(item)) {
      log.warn({ code }, `${who} is ${text} since an earlier run; \`touchline resume\` ends it`);
    }
  }
  for (const position of openPositions(carried)) {
    const { strategy, marketId } = position;
    const isTaken = partOf(strategies, strategy, marketId) !== undefined;
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

/** What an operator told the bot or a strategy in an earlier run, as the end of a sentence. */
export function carriedStops({
  isPaused,
  isReduceOnly,
  haltReason,
}: CarriedPause): readonly { readonly code: string; readonly text: string }[] {
  return [
    ...(haltReason === undefined ? [] : [{ code: "HALTED", text: `halted (${haltReason})` }]),
    ...(isPaused ? [{ code: "PAUSED", text: "paused" }] : []),
    ...(isReduceOnly === true ? [{ code: "REDUCE_ONLY", text: "reduce only" }] : []),
  ];
}

/** The steps of the risk ladder that a run of this configuration begins with: a trigger that it does not have is forgotten. */
export function heldRungs(
  { strategy, rungs }: CarriedRisk,
  settings: LadderSettings,
): readonly CarriedRung[] {
  const { risk, strategies, unsetLimits } = settings;
  const triggers: TriggerValues =
    strategy === undefined
      ? risk.triggers
      : (strategies.find(({ name }) => name === strategy)?.triggers ?? {});
  const configured = new Map(Object.entries(triggers));
  const hasDerivedLoss =
    unsetLimits !== undefined && derivesLoss(limitsToDerive(unsetLimits, settings), strategy);
  return rungs.filter(
    ({ trigger }) =>
      configured.get(trigger) !== undefined || (hasDerivedLoss && trigger === "dayLoss"),
  );
}

interface LadderSettings extends Pick<LiveSettings, "risk"> {
  readonly unsetLimits?: UnsetLimits | undefined;
  readonly reportingCurrency?: TokenId | undefined;
  readonly strategies: readonly (TradesIn & {
    readonly name: string;
    readonly triggers?: TriggerValues | undefined;
  })[];
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
