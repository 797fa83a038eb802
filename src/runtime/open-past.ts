import { TouchlineError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { restore, type RestoredJournal } from "../journal/restore.ts";
import type { CarriedItem, CarriedPosition } from "../orders/carried.ts";
import type { Log } from "../ports/log.ts";
import type { Store } from "../ports/store.ts";
import type { LiveSettings } from "./live-settings.ts";

/** Restores what earlier runs left: open orders, positions, pause. Throws TouchlineError `JOURNAL_DAMAGED` or `JOURNAL_OF_ANOTHER`. */
export function openPast(
  settings: Pick<LiveSettings, "journal" | "venue">,
  store: Store,
  owner: Address,
): RestoredJournal {
  const { path } = settings.journal;
  const past = restore(store, path);
  const { header, restored } = past;
  const isOther =
    header !== undefined &&
    (header.kernel.owner !== owner || header.chainId !== settings.venue.chainId);
  if (!isOther) return past;
  const { carried = [], ...rest } = restored;
  const positions = openPositions(carried);
  if (restored.orders.length > 0 || positions.length > 0) {
    const orders = `${restored.orders.length} orders that may still be open`;
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
  return { ...past, restored: rest };
}

/** The positions that are not flat. */
function openPositions(carried: readonly CarriedItem[]): readonly CarriedPosition[] {
  return carried.filter(
    (item): item is CarriedPosition => item.type === "position" && item.base !== "0",
  );
}

function positionText({ strategy, marketId, base }: CarriedPosition): string {
  return `a position of ${base} of ${strategy} in ${marketId}`;
}

/** Logs what the run begins with besides orders, and what of it no strategy of the configuration takes over. */
export function logPast(
  { restored, header }: RestoredJournal,
  { strategies, journal }: Pick<LiveSettings, "strategies" | "journal">,
  log: Log,
): void {
  const { carried } = restored;
  if (carried === undefined && header !== undefined) {
    log.info(
      { journal: journal.path },
      "the journal knows no positions of earlier runs: they start at 0; `touchline position set` corrects them",
    );
  }
  for (const item of carried ?? []) {
    if (item.type === "pause" && item.isPaused) {
      log.warn({ code: "PAUSED" }, "the bot is paused since an earlier run and quotes nothing");
    }
    if (item.type === "halt" && item.reason !== undefined) {
      log.warn({ code: "HALTED" }, `the bot is halted and quotes nothing: ${item.reason}`);
    }
  }
  for (const position of openPositions(carried ?? [])) {
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
