import { TouchlineError } from "../base/error.ts";
import type { Address, MarketId } from "../domain/ids.ts";
import type { RunHeader } from "../journal/entry.ts";
import { restore, type RestoredJournal } from "../journal/restore.ts";
import type { LostTail, Restored } from "../kernel/input.ts";
import { DURABLE_AGE_MAX_MS } from "./driver.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";

/** What the venue's times may differ from the readings of its clock, besides half a round trip. */
const CLOCK_SLACK_MS = 1_000;

/**
 * Restores the orders that earlier runs left open, and where orders may be open that the journal lost. Throws TouchlineError
 * `JOURNAL_DAMAGED` or `JOURNAL_OF_ANOTHER`.
 */
export function openPast(
  settings: Pick<LiveSettings, "journal" | "venue" | "isAccountShared">,
  { store, bootId }: Pick<LivePorts, "store" | "bootId">,
  owner: Address,
): Restored {
  const { path } = settings.journal;
  const past = restore(store, path);
  const { header, restored } = past;
  const { lastEntry: _, lostTails = [], ...known } = restored;
  if (header === undefined) return known;
  const isOther = header.kernel.owner !== owner || header.chainId !== settings.venue.chainId;
  if (isOther && restored.orders.length > 0) {
    throw new TouchlineError(
      "JOURNAL_OF_ANOTHER",
      `The journal in ${path} belongs to ${header.kernel.owner} on chain ${header.chainId} and holds ${restored.orders.length} orders that may still be open.`,
      {
        context: { path },
        hint: "Start that bot again to close them, or give this one a journal of its own (journal.path).",
      },
    );
  }
  if (isOther || settings.isAccountShared === true) return known;
  const lost = lostTail(past, header, bootId);
  const tails = lost === undefined ? lostTails : [...lostTails, lost];
  return tails.length === 0 ? known : { ...known, lostTails: tails };
}

/**
 * When orders were placed that may be missing in the journal (docs/decisions/019); undefined when it has all of them: after a clean
 * end, before the first order of a run, and while the machine has not restarted.
 */
function lostTail(
  { restored, damagedMs }: RestoredJournal,
  header: RunHeader,
  bootId: string | undefined,
): LostTail | undefined {
  const { lastEntry } = restored;
  if (lastEntry === undefined) return undefined;
  const isSameBoot = bootId !== undefined && bootId === header.bootId;
  if (isSameBoot && damagedMs === undefined) return undefined;
  const { nowMs, offsetMs, roundTripMs } = lastEntry;
  const errorMs = roundTripMs / 2 + CLOCK_SLACK_MS;
  const newestMs = Math.max(nowMs, damagedMs ?? nowMs);
  const landedMs = DURABLE_AGE_MAX_MS + header.kernel.timing.inFlightMs;
  return {
    sinceMs: Math.floor(nowMs + offsetMs - errorMs),
    untilMs: Math.ceil(newestMs + offsetMs + errorMs + landedMs),
    marketIds: [...new Set(header.strategies.map(({ marketId }) => marketId as MarketId))],
  };
}
