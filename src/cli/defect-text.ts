import type { DefectName } from "../recordings/defect.ts";
import type { PlacedDefect } from "../recordings/defect-list.ts";

/** Defects that are named to people; machines get more. */
const SHOWN_MAX = 20;

const titles: Readonly<Record<DefectName, string>> = {
  gaps: "gap",
  duplicates: "repeated",
  tradeGaps: "trade gap",
  tradeDuplicates: "trade repeated",
  badPrices: "bad price",
  badTimes: "bad time",
  timeJumps: "time jump",
};

/** `file, line 9: gap: depth id 7 missing`, a line each, and how many more there are; empty without any. */
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
