import { counted } from "../base/counted.ts";
import type { Address } from "../domain/ids.ts";
import { restore } from "../journal/restore.ts";
import type { CarriedItem, Restored } from "../kernel/input.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";
import { HaltFile } from "./halt-file.ts";
import { carriedStops, openPast, openPositions, positionText } from "./open-past.ts";

/** The configuration's places that a dry run writes to: beside those of its real runs, so that it never touches theirs. */
export function dryRunPlaces<
  Places extends {
    readonly journal: { readonly path: string };
    readonly control?: { readonly socket?: string | undefined };
  },
>(places: Places): Places {
  const { journal, control } = places;
  return {
    ...places,
    journal: { ...journal, path: ownPlace(journal.path) },
    ...(control?.socket === undefined
      ? {}
      : { control: { ...control, socket: ownPlace(control.socket) } }),
  };
}

function ownPlace(path: string): string {
  return `${path}-dry-run`;
}

/**
 * What a dry run begins with: the positions, strategies' states and derived limits that the real runs left, without their orders, pauses
 * and steps of the risk ladder, which are only logged. Reads the journal of the real runs, also while a bot writes it. Throws as
 * `openPast` does. `settings` are the configuration's own.
 */
export function dryRunPast(
  settings: Pick<LiveSettings, "journal" | "venue">,
  { store, log }: Pick<LivePorts, "store" | "log">,
  owner: Address,
): Restored {
  const { path } = settings.journal;
  const { orders, carried } = openPast({ ...settings, isAccountShared: true }, { store }, owner);
  const haltReason = new HaltFile(store, path).read();
  const seen = [
    ...(orders.length === 0
      ? []
      : [
          `the journal in ${path} has ${counted(orders.length, "order")} that may be open; they are left as they are`,
        ]),
    ...openPositions(carried).map((item) => `it begins with ${positionText(item)}`),
    ...carried.flatMap(unlikeReal),
    ...(haltReason === undefined
      ? []
      : [`a real run would quote nothing, since it is halted: ${haltReason}`]),
  ];
  for (const sentence of seen) log.info({ journal: path }, `dry run: ${sentence}`);
  const { nonceHighWater } = restore(store, ownPlace(path)).restored;
  return {
    nonceHighWater,
    orders: [],
    carried: carried.filter(({ type }) => type !== "pause" && type !== "risk" && type !== "left"),
  };
}

/** In what a real run would differ because of an item that a dry run leaves out. */
function unlikeReal(item: CarriedItem): readonly string[] {
  if (item.type === "pause") {
    return carriedStops(item).map(
      ({ text }) => `a real run would begin with ${whose(item)} ${text} since an earlier run`,
    );
  }
  if (item.type === "left" && item.reason !== undefined) {
    return [
      `a real run would not quote market ${item.marketId} since an earlier run: ${item.reason}`,
    ];
  }
  if (item.type === "risk") {
    return item.rungs.map(
      ({ trigger, step }) =>
        `a real run would begin with ${whose(item)} at the step ${step} of the risk ladder, which ${trigger} reached in an earlier run`,
    );
  }
  return [];
}

function whose({ strategy }: { readonly strategy?: string }): string {
  return strategy === undefined ? "the bot" : `the strategy ${strategy}`;
}
