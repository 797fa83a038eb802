import { errorText } from "../base/error-text.ts";
import { SegmentKeeper } from "../journal/segment-keeper.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";

/** What compresses and deletes segments of a bot's journal as its settings say; undefined when the ports cannot. */
export function keepSegments(
  { journal }: Pick<LiveSettings, "journal">,
  { segments, clock, log }: Pick<LivePorts, "segments" | "clock" | "log">,
): SegmentKeeper | undefined {
  if (segments === undefined) return undefined;
  return new SegmentKeeper({
    ...segments,
    folder: journal.path,
    keep: journal.keep,
    clock,
    onRemoved: ({ names, bytes, limit }) =>
      log.info(
        { segments: names, bytes, limit: `journal.keep.${limit}` },
        "old segments of the journal were deleted",
      ),
    onFailure: (thrown) =>
      log.warn(
        { message: errorText(thrown) },
        "segments of the journal could not be compressed or deleted; the next segment tries again",
      ),
  });
}
