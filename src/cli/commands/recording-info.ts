import { defineCliCommand } from "../command.ts";
import { asPath, argument } from "../option.ts";
import { openRecordingIo } from "../recording-io.ts";
import { right, table } from "../table.ts";
import { spanText, timeText } from "../time-text.ts";

export default defineCliCommand({
  summary: "show a recording's markets, times, counts and source",
  args: { dir: asPath(argument("<dir>", "folder of a recording")) },
  examples: ["recording info recordings/zilusdt"],
  async run({ args, terminal }) {
    const { recordingInfo: steps } = await import("../../recordings/info.ts");
    const { Recording } = await import("../../recordings/recording.ts");
    const { recordedSourceInfos } = await import("../../recordings/source-file.ts");
    const { sourceTable } = await import("../source-table.ts");
    const { withProgress } = await import("../progress.ts");
    const io = await openRecordingIo();
    const recording = new Recording(io, args.dir);
    const markets = await withProgress(terminal, "reading", steps(recording));
    const { source, notice } = recording.manifest;
    const sources = recordedSourceInfos(io, args.dir, recording.manifest.sources);
    terminal.emit("recording.info", {
      dir: args.dir,
      source,
      notice: notice ?? null,
      markets,
      sources,
    });
    const columns = [
      "market",
      "symbol",
      "prices",
      right("tick"),
      right("lot"),
      "from (UTC)",
      right("for"),
      right("depth"),
      right("trades"),
      right("candles"),
      right("books"),
      right("lost"),
      "fees (maker, taker)",
    ];
    const rows = markets.map((market) => [
      market.market,
      market.symbol,
      market.grid === "venue" ? "on the grid" : "as recorded",
      market.tick ?? "?",
      market.lot ?? "?",
      market.from === null ? "nothing" : timeText(market.from),
      spanText((market.to ?? 0) - (market.from ?? 0)),
      String(market.depthEvents),
      String(market.trades),
      String(market.candles),
      String(market.books),
      String(market.interruptions),
      market.makerFee === null ? "not known" : `${market.makerFee}, ${market.takerFee ?? "?"}`,
    ]);
    terminal.print(table(columns, rows));
    if (sources.length > 0) terminal.print(sourceTable(sources));
    terminal.print(terminal.dim(source));
    if (notice !== undefined) terminal.print(terminal.dim(notice));
  },
});
