import { counted } from "../../base/counted.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument, repeated, text, timeOption } from "../option.ts";
import { openRecordingIo } from "../recording-io.ts";

export default defineCliCommand({
  summary: "copy a part of a recording, by time and markets, to a new recording",
  args: { dir: asPath(argument("<dir>", "folder of a recording")) },
  options: {
    out: asPath(text("--out <dir>", "folder of the new recording (required)")),
    from: timeOption("--from <time>", "start of the part, which begins with the book at that time"),
    to: timeOption("--to <time>", "end of the part"),
    market: repeated(
      "--market <market>",
      "copy only this market, by id or symbol; may be repeated",
    ),
  },
  examples: [
    "recording cut recordings/btcusdt --from 2024-08-09T00:00:00Z --out recordings/friday",
    "recording cut recordings/ten --market ZILUSDT --out recordings/zilusdt",
  ],
  async run({ args, options, terminal }) {
    const { out, from, to } = options;
    if (out === undefined) throw usageError("--out is missing: the folder of the new recording.");
    if (from !== undefined && to !== undefined && from > to) {
      throw usageError("--from is after --to.");
    }
    const { cutRecording } = await import("../../recordings/cut.ts");
    const { Recording } = await import("../../recordings/recording.ts");
    const { withProgress } = await import("../progress.ts");
    const io = await openRecordingIo();
    const steps = cutRecording(io, new Recording(io, args.dir), {
      out,
      fromMs: from,
      toMs: to,
      markets: options.market,
    });
    const events = await withProgress(terminal, "cutting", steps);
    terminal.emit("recording.cut", { out, events });
    terminal.print(`${counted(events, "event")} in ${out}`);
  },
});
