import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument, oneOf, text, textOr } from "../option.ts";
import { openRecordingIo } from "../recording-io.ts";

export default defineCliCommand({
  summary: "export a recording to Tardis CSV, Parquet or ndjson, in files for each market",
  args: { dir: asPath(argument("<dir>", "folder of a recording")) },
  options: {
    out: asPath(text("--out <dir>", "folder of the files (required)")),
    to: oneOf("--to <format>", "tardis, parquet or ndjson", ["tardis", "parquet", "ndjson"]),
    exchange: textOr("--exchange <name>", "value of Tardis' column exchange", "touchline"),
  },
  examples: [
    "recording export recordings/zilusdt --exchange binance --out csv",
    "recording export recordings/zilusdt --to parquet --out tables",
  ],
  async run({ args, options, terminal }) {
    const { out, to, exchange } = options;
    if (out === undefined) throw usageError("--out is missing: the folder of the files.");
    if (!/^[\w.-]+$/.test(exchange)) {
      throw usageError("--exchange must be letters, digits, points, dashes or underscores.");
    }
    const { Recording } = await import("../../recordings/recording.ts");
    const { withProgress } = await import("../progress.ts");
    const io = await openRecordingIo();
    const recording = new Recording(io, args.dir);
    const start = async () => {
      if (to === "ndjson") {
        const { exportNdjson } = await import("../../recordings/export-ndjson.ts");
        return exportNdjson(io, recording, out);
      }
      if (to === "parquet") {
        const { exportParquet } = await import("../../recordings/export-parquet.ts");
        const { openParquet } = await import("../../platform/parquet.ts");
        const say = (sentence: string): void => terminal.warn(sentence);
        return exportParquet(io, recording, { openParquet, out, say });
      }
      const { exportTardis } = await import("../../recordings/export-tardis.ts");
      return exportTardis(io, recording, { out, exchange });
    };
    const files = await withProgress(terminal, "exporting", await start());
    terminal.emit("recording.export", { out, files });
    for (const { path, rows } of files) terminal.print(`${rows} rows in ${path}`);
  },
});
