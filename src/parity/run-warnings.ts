import { counted } from "../base/counted.ts";
import type { BatchEntry } from "../journal/entry.ts";
import type { LiveRun } from "./live-run.ts";

/** Below this number of fills a score says little. */
const FEW_FILLS = 30;

/** What a reader has to know of a run before believing the comparison. */
export function runWarnings(
  { fills, market, commands, carried }: LiveRun,
  batches: readonly BatchEntry[],
): readonly string[] {
  const warnings: string[] = [];
  const lost = Math.max(
    0,
    ...[...market.values()].map((events) => events.filter((event) => event === "lost").length),
  );
  if (lost > 0) {
    warnings.push(
      `the bot lost market data ${counted(lost, "time")}; meanwhile its orders may have been filled, and the replays fill none`,
    );
  }
  if (fills.length > 0 && fills.length < FEW_FILLS) {
    warnings.push(`the run has ${counted(fills.length, "fill")} only, too few to say much`);
  }
  if (commands.length > 0) {
    warnings.push(
      `an operator paused, resumed or halted the bot ${counted(commands.length, "time")}; the replays repeat that`,
    );
  }
  const taken = fills.filter(({ fill }) => !fill.isMaker).length;
  if (taken > 0) {
    warnings.push(
      `${counted(taken, "fill")} took quantity from the book; what the market did afterwards is in the recording already`,
    );
  }
  const steps = new Set(
    batches.flatMap(({ carried: items = [] }) =>
      items.flatMap((item) => (item.type === "risk" ? item.rungs.map(({ step }) => step) : [])),
    ),
  );
  if (steps.size > 0) {
    warnings.push(
      `the risk ladder of the run reached ${[...steps].join(", ")}; a replay that is filled otherwise climbs it at other times`,
    );
  }
  if (carried.some((item) => item.type === "position" && Number(item.base) !== 0)) {
    warnings.push("the run began with a position; PnL and its parts are those of its own fills");
  }
  return warnings;
}
