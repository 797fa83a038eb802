import { defineCliCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { argument, text, textOr } from "../option.ts";
import { openRecordingIo } from "../recording-io.ts";

export const recordingExport = defineCliCommand({
  words: ["recording", "export"],
  summary: "export a recording to Tardis CSV, two files for each market: depth and trades",
  args: { dir: argument("<dir>", "folder of a recording") },
  options: {
    out: text("--out <dir>", "folder of the CSV files (required)"),
    exchange: textOr("--exchange <name>", "value of the column exchange", "touchline"),
  },
  examples: ["recording export recordings/zilusdt --exchange binance --out csv"],
  async run({ args, options, terminal }) {
    const { out, exchange } = options;
    if (out === undefined) throw usageError("--out is missing: the folder of the CSV files.");
    if (!/^[\w.-]+$/.test(exchange)) {
      throw usageError("--exchange must be letters, digits, points, dashes or underscores.");
    }
    const { exportTardis } = await import("../../recordings/export-tardis.ts");
    const { Recording } = await import("../../recordings/recording.ts");
    const { withProgress } = await import("../progress.ts");
    const io = await openRecordingIo();
    const steps = exportTardis(io, new Recording(io, args.dir), { out, exchange });
    const files = await withProgress(terminal, "exporting", steps);
    terminal.emit("recording.export", { out, files });
    for (const { path, rows } of files) terminal.print(`${rows} rows in ${path}`);
    return exitCode.done;
  },
});
