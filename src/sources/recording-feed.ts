import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import type { TimerHandle } from "../ports/clock.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import { type RecordedSource, recordedSources } from "../recordings/source-file.ts";
import type { RecordingFeedSettings } from "./feed-settings.ts";
import type { FeedPorts, PriceFeed, PushSource } from "./price-feed.ts";

/**
 * Plays the recorded values of a source at the pace at which they were received, as if the first had come now; their own times move with
 * them. Throws TouchlineError `SOURCE_NOT_RECORDED` where there is none.
 */
export function recordingFeed(
  name: string,
  { path, source }: RecordingFeedSettings,
  { clock, timer, recordings }: Pick<FeedPorts, "clock" | "timer" | "recordings">,
  push: PushSource,
): PriceFeed {
  assert(recordings !== undefined, "recordings can be read");
  const values = valuesOf(recordings, path, source);
  let next = values.next();
  if (next.done === true) {
    throw new TouchlineError(
      "SOURCE_NOT_RECORDED",
      `Source ${name}: ${path} has no source ${source}.`,
      {
        hint: "`touchline recording info` lists the sources of a recording.",
      },
    );
  }
  const firstMs = next.value.atUs / 1000;
  let byMs = 0;
  let wait: TimerHandle | undefined;
  const play = (): void => {
    for (; next.done !== true; next = values.next()) {
      const { atUs, bid, ask, timeMs } = next.value;
      const waitMs = atUs / 1000 + byMs - clock.nowMs();
      if (waitMs > 0) {
        wait = timer.after(waitMs, play);
        return;
      }
      const own = timeMs === undefined ? {} : { timeMs: timeMs + byMs };
      push({ type: "source", name, bid, ask, ...own }, clock.monotonicUs());
    }
  };
  return {
    start() {
      byMs = clock.nowMs() - firstMs;
      play();
    },
    stop() {
      wait?.cancel();
      values.return(undefined);
    },
  };
}

function* valuesOf(io: RecordingIo, folder: string, source: string): Generator<RecordedSource> {
  for (const value of recordedSources(io, folder)) if (value.name === source) yield value;
}
