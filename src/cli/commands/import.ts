import { counted } from "../../base/counted.ts";
import { plainNumber } from "../../domain/fixed.ts";
import { parseShare } from "../../domain/setting.ts";
import type { PlacedDefect } from "../../recordings/defect-list.ts";
import type { ImportSummary } from "../../recordings/import.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument, argumentList, flag, repeated, text } from "../option.ts";
import { defectLines } from "../defect-text.ts";
import { openRecordingIo } from "../recording-io.ts";
import { spanText, timeText } from "../time-text.ts";

/** Highest number of `import.defect` lines. The folder's `defects.ndjson` has more; the last line counts all. */
const DEFECTS_MAX = 1000;

export default defineCliCommand({
  summary: "convert market data of another format to a recording",
  args: {
    format: argument(
      "<format>",
      "binance-raw, cryptofeed, coinbase-dump, binance-csv, binance-vision, tardis, lean or candles-csv",
    ),
    files: asPath(
      argumentList("<files...>", "source files in any order; may be gzip, zstd or zip"),
    ),
  },
  options: {
    out: asPath(text("--out <dir>", "folder of the new recording (required)")),
    market: repeated("--market <symbol=base_quote>", "market id for a symbol; may be repeated"),
    only: repeated("--only <symbol>", "import only this symbol; may be repeated"),
    columns: text(
      "--columns <names>",
      "names of all columns of a CSV without header or with other names, in their order, - for one that is not used: time,open,high,low,close,volume,-",
    ),
    fold: flag("--fold", "fold prices onto the venue's grid instead of keeping them as recorded"),
    sparseDepth: flag(
      "--sparse-depth",
      "the depth of a source without update ids is sparse by nature: trades without depth are no gap",
    ),
    makerFee: text(
      "--maker-fee <share>",
      "maker fee rate stored for replays, such as 0.02% or 0.0002; a rebate is negative",
    ),
    takerFee: text("--taker-fee <share>", "taker fee rate stored for replays"),
    notice: text("--notice <text>", "provenance and licence, stored with the recording"),
  },
  examples: [
    "import binance-raw btcusdt_20240808.gz --out recordings/btcusdt",
    "import binance-csv depth.csv trade.csv --out recordings/trxusdt",
    "import lean btcusd-minute-20180404_trade.zip --out recordings/btcusd",
    "import cryptofeed BINANCE.ws.0.0 --only ZILUSDT --fold --out recordings/zilusdt",
  ],
  async run({ args, options, terminal }) {
    if (options.out === undefined) {
      throw usageError("--out is missing: the folder of the new recording.");
    }
    const fees = feesOf(options.makerFee, options.takerFee);
    const names = new Map(options.market.map(nameOf));
    const { ImportRefused, importSteps } = await import("../../recordings/import.ts");
    const { withProgress } = await import("../progress.ts");
    const steps = importSteps(await openRecordingIo(), {
      format: args.format,
      files: args.files,
      out: options.out,
      names,
      isFolded: options.fold,
      hasSparseDepth: options.sparseDepth,
      ...(options.only.length === 0
        ? {}
        : { symbols: new Set(options.only.map((symbol) => symbol.toUpperCase())) }),
      ...(options.columns === undefined
        ? {}
        : { columns: options.columns.split(",").map((name) => name.trim()) }),
      ...(fees === undefined ? {} : { fees }),
      ...(options.notice === undefined ? {} : { notice: options.notice }),
    });
    let summary: ImportSummary;
    try {
      summary = await withProgress(terminal, "importing", steps);
    } catch (thrown) {
      if (thrown instanceof ImportRefused) say(thrown.defects.defects, thrown.defects.omitted);
      throw thrown;
    }
    const { markets, events, fromMs, toMs, defects, defectCounts } = summary;
    say(defects, summary.defectsOmitted);
    for (const warning of summary.warnings) terminal.warn(warning);
    const defectsOmitted = summary.defectsOmitted + Math.max(0, defects.length - DEFECTS_MAX);
    if (summary.silences > 0) {
      terminal.warn(
        `${counted(summary.silences, "gap")}, in which a replay has no book, ${summary.silences === 1 ? "is a place" : "are places"} where trades went on for more than 10 s without depth: if the source's depth is that sparse by nature, import it with --sparse-depth`,
      );
    }
    terminal.emit("import", {
      out: options.out,
      events,
      from: fromMs,
      to: toMs,
      markets: markets.map(({ marketId, symbol, grid }) => ({ market: marketId, symbol, grid })),
      warnings: summary.warnings,
      defects: defectCounts,
      defectsOmitted,
    });
    const shown = markets.map((market) => market.marketId).join(", ");
    terminal.print(`${counted(events, "event")} of ${shown} in ${options.out}`);
    terminal.print(terminal.dim(`${timeText(fromMs)} UTC, ${spanText(toMs - fromMs)}`));

    function say(found: readonly PlacedDefect[], omitted: number): void {
      for (const defect of found.slice(0, DEFECTS_MAX)) {
        terminal.emit("import.defect", { ...defect });
      }
      for (const line of defectLines(found, omitted)) terminal.warn(line);
    }
  },
});

function nameOf(written: string): readonly [symbol: string, market: string] {
  const match = /^([^=]+)=([^=_\s]+_[^=_\s]+)$/.exec(written);
  if (match?.[1] === undefined || match[2] === undefined) {
    throw usageError(`--market ${written} is not of the form SYMBOL=BASE_QUOTE.`);
  }
  return [match[1].toUpperCase(), match[2]];
}

function feesOf(
  maker: string | undefined,
  taker: string | undefined,
): { readonly maker: string; readonly taker: string } | undefined {
  if (maker === undefined && taker === undefined) return undefined;
  return { maker: feeText("--maker-fee", maker), taker: feeText("--taker-fee", taker) };
}

function feeText(name: string, written: string | undefined): string {
  const rate = written === undefined ? undefined : parseShare(written);
  if (rate === undefined || rate <= -1 || rate >= 1) {
    throw usageError(`${name} must be a share such as 0.02% or 0.0002; give both fees or none.`);
  }
  return plainNumber(rate);
}
