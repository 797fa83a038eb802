import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import { type CarriedImports, carriedKey, type CarriedPosition } from "../orders/carried.ts";
import type { OpenedPositions } from "./position-command.ts";

type Carried = Pick<OpenedPositions, "carried">;

const importsOf = ({ carried }: Carried): readonly CarriedImports[] =>
  carried.filter((item) => item.type === "imports");

/** Those of the positions that the journal does not have from this export, or that were reset since. Throws `EXPORT_IMPORTED` when there is none. */
export function notImported<Position extends { readonly marketId: string }>(
  opened: Carried,
  digest: string,
  positions: readonly Position[],
): readonly Position[] {
  const held = importsOf(opened).filter(({ digests }) => digests.includes(digest));
  const taken = new Set<string>(held.map(({ marketId }) => marketId));
  const left = positions.filter(({ marketId }) => !taken.has(marketId));
  if (left.length > 0) return left;
  throw new TouchlineError("EXPORT_IMPORTED", "This export is already imported.", {
    hint: "Its PnL and fees would count twice. `touchline position reset` clears what was imported.",
  });
}

/** The exports of a position with this one. Throws as `notImported`. */
export function importsWith(
  opened: Carried,
  { strategy, marketId }: CarriedPosition,
  digest: string,
): readonly CarriedImports[] {
  notImported(opened, digest, [{ marketId }]);
  const { digests } = importsAt(opened, strategy, marketId);
  return [{ type: "imports", strategy, marketId, digests: [...digests, digest] }];
}

/** A position that was reset has no part of an export. */
export function importsCleared(
  opened: Carried,
  { strategy, marketId }: CarriedPosition,
): readonly CarriedImports[] {
  const known = importsAt(opened, strategy, marketId);
  return known.digests.length === 0 ? [] : [{ ...known, digests: [] }];
}

function importsAt(opened: Carried, strategy: string, marketId: MarketId): CarriedImports {
  const none: CarriedImports = { type: "imports", strategy, marketId, digests: [] };
  return importsOf(opened).find((item) => carriedKey(item) === carriedKey(none)) ?? none;
}
