import { counted } from "../../base/counted.ts";
import { defineCliCommand } from "../command.ts";
import { asPath, argument, integer } from "../option.ts";
import { defectLines } from "../defect-text.ts";
import { openRecordingIo } from "../recording-io.ts";
import { right, table } from "../table.ts";

export default defineCliCommand({
  summary: "replay a recording through the local book and report its defects",
  args: { dir: asPath(argument("<dir>", "folder of a recording")) },
  options: {
    at: integer("--at <n>", "show the book after this applied event instead of the last one", {
      min: 1,
    }),
  },
  examples: [
    "recording check recordings/zilusdt",
    "recording check recordings/zilusdt --at 100 --json",
  ],
  async run({ args, options, terminal }) {
    const { checkSteps } = await import("../../recordings/check.ts");
    const { recordedSourceInfos } = await import("../../recordings/source-file.ts");
    const { sourceTable } = await import("../source-table.ts");
    const { withProgress } = await import("../progress.ts");
    const { Recording } = await import("../../recordings/recording.ts");
    const io = await openRecordingIo();
    const recording = new Recording(io, args.dir);
    const requested = options.at === undefined ? {} : { at: options.at };
    const steps = checkSteps(io, recording, requested);
    const lines = await withProgress(terminal, "checking", steps);
    for (const { event, ...fields } of lines) terminal.emit(event, fields);
    terminal.print(
      table(
        [
          "market",
          "symbol",
          right("depth"),
          right("applied"),
          right("trades"),
          right("candles"),
          right("gaps"),
          right("trade gaps"),
          right("duplicates"),
          right("bad"),
          right("crossed"),
          right("lost"),
          right("best bid"),
          right("best ask"),
        ],
        lines.map((line) => [
          line.market,
          line.symbol,
          String(line.depthEvents),
          String(line.applied),
          String(line.trades),
          String(line.candles),
          count(line.gaps),
          count(line.tradeGaps),
          count(line.duplicates + line.tradeDuplicates),
          count(line.badPrices + line.badTimes + line.timeJumps + line.badSides),
          count(line.crossed),
          count(line.interruptions),
          line.bestBid?.[0] ?? "none",
          line.bestAsk?.[0] ?? "none",
        ]),
      ),
    );
    for (const { market, defects, defectsOmitted } of lines) {
      for (const text of defectLines(defects, defectsOmitted)) terminal.print(`${market}  ${text}`);
    }
    const sources = recordedSourceInfos(io, args.dir, recording.manifest.sources);
    for (const info of sources) terminal.emit("recording.source", { ...info });
    if (sources.length > 0) terminal.print(sourceTable(sources));
    for (const { file, line, characters } of recording.tornFiles) {
      terminal.emit("recording.torn", { file, line, characters });
      terminal.warn(
        characters === 0
          ? `${file} is cut off after ${counted(line - 1, "line")}: what followed them is missing`
          : `${file} ends in the middle of line ${line}: its last ${counted(characters, "character")} ${characters === 1 ? "is" : "are"} left out, and what followed them is missing`,
      );
    }

    /** Marks a count above 0 in red. */
    function count(value: number): string {
      return value === 0 ? "0" : terminal.red(String(value));
    }
  },
});
