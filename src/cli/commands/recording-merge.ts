import { counted } from "../../base/counted.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argumentList, text } from "../option.ts";
import { openRecordingIo } from "../recording-io.ts";

export default defineCliCommand({
  summary: "merge recordings of different markets, or of one market at different times",
  args: { dirs: asPath(argumentList("<dirs...>", "folders of recordings, in any order")) },
  options: { out: asPath(text("--out <dir>", "folder of the new recording (required)")) },
  examples: ["recording merge recordings/monday recordings/tuesday --out recordings/both"],
  async run({ args, options, terminal }) {
    const { out } = options;
    if (out === undefined) throw usageError("--out is missing: the folder of the new recording.");
    const { mergeRecordings } = await import("../../recordings/merge.ts");
    const { Recording } = await import("../../recordings/recording.ts");
    const { withProgress } = await import("../progress.ts");
    const io = await openRecordingIo();
    const recordings = args.dirs.map((dir) => new Recording(io, dir));
    const steps = mergeRecordings(io, recordings, { out });
    const events = await withProgress(terminal, "merging", steps);
    terminal.emit("recording.merge", { out, recordings: recordings.length, events });
    terminal.print(
      `${counted(events, "event")} of ${counted(recordings.length, "recording")} in ${out}`,
    );
  },
});
