import type { DefectName } from "../recordings/defect.ts";
import type { PlacedDefect } from "../recordings/defect-list.ts";

/** Highest number of defects printed for people; JSON lines list more. */
const SHOWN_MAX = 20;

const titles: Readonly<Record<DefectName, string>> = {
  gaps: "gap",
  duplicates: "repeated",
  tradeGaps: "trade gap",
  tradeDuplicates: "trade repeated",
  badPrices: "bad price",
  badTimes: "bad time",
  timeJumps: "time jump",
  badSides: "bad side",
};

/** Lines such as `file, line 9: gap: depth id 7 missing`, and the number of omitted defects; empty when there are none. */
export function defectLines(
  defects: readonly Omit<PlacedDefect, "market">[],
  omitted: number,
): readonly string[] {
  const lines = defects
    .slice(0, SHOWN_MAX)
    .map(({ what, file, line, detail }) => `${file}, line ${line}: ${titles[what]}: ${detail}`);
  const more = omitted + defects.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
