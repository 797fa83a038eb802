import { marketIdsOf } from "../../domain/market-roles.ts";
import { counted } from "../../base/counted.ts";
import { TouchlineError } from "../../base/error.ts";
import type { UnixMs } from "../../domain/time.ts";
import type { RecorderCounts, RecorderMark } from "../../recordings/recorder.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument, durationOption, text } from "../option.ts";
import { openRecordingIo } from "../recording-io.ts";
import type { Terminal } from "../terminal.ts";
import { timeText } from "../time-text.ts";

export default defineCliCommand({
  summary: "record the public streams of a venue's markets",
  args: {
    config: asPath(
      argument("<config>", "YAML file of a bot, for its venue and markets; needs no account"),
    ),
  },
  options: {
    out: asPath(text("--out <dir>", "folder of the new recording (required)")),
    duration: durationOption("--duration <time>", "end after this time, such as 30s or 8h"),
  },
  examples: [
    "record config/pure-market-making.yaml --out recordings/today",
    "record my-bot.yaml --out recordings/night --duration 8h --json",
  ],
  endsBySignal: true,
  async run({ args, options, overrides, terminal, interrupt, env }) {
    const { out } = options;
    if (out === undefined) throw usageError("--out is missing: the folder of the new recording.");
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const { systemClock } = await import("../../platform/clock.ts");
    const { loadCrypto } = await import("../../platform/crypto.ts");
    const { createHttp } = await import("../../platform/http.ts");
    const { createSocketConnector } = await import("../../platform/socket.ts");
    const { systemTimer } = await import("../../platform/timer.ts");
    const { startRecord } = await import("../../recorder/record.ts");
    const { sourceMarkets } = await import("../../kernel/sources/source-config.ts");
    const { openLog } = await import("../log.ts");
    const { configuredVenueHint, withHint } = await import("../venue-hint.ts");
    const config = await loadBotConfig(args.config, { overrides, env });
    const http = createHttp();
    let failure: Error | undefined;
    try {
      const running = await startRecord(
        {
          venue: config.venue,
          markets: [
            ...new Set([...marketIdsOf(config.strategies), ...sourceMarkets(config.sources)]),
          ],
          sources: config.sources,
          out,
          streamTiming: config.streams,
        },
        {
          clock: systemClock,
          timer: systemTimer,
          http,
          connector: createSocketConnector(),
          crypto: await loadCrypto(),
          io: await openRecordingIo(),
          log: openLog("error", env),
          seed: Date.now() % 0xffff_ffff,
        },
        {
          onMark: (mark) => showMark(mark, systemClock.nowMs(), terminal),
          failed(error) {
            failure ??= error instanceof Error ? error : new Error(String(error));
            interrupt.request();
          },
        },
      );
      const markets = running.markets.map(({ marketId, ticker }) => `${marketId} ${ticker}`);
      terminal.say(`${terminal.bold("Recording")} ${markets.join(", ")} into ${out}`);
      terminal.say(`  from ${config.venue.ws}`);
      terminal.say(terminal.dim("  Ctrl-C ends it."));
      const startMs = performance.now();
      await interrupt.ended(options.duration);
      const hasData = running.stop();
      if (failure !== undefined) throw failure;
      if (!hasData) {
        throw new TouchlineError("RECORD_EMPTY", `Nothing came from ${config.venue.ws}.`, {
          hint: "`touchline doctor` checks the connection.",
        });
      }
      const durationMs = Math.round(performance.now() - startMs);
      const { length } = running.markets;
      terminal.emit("record", { out, durationMs, markets: length, ...running.counts });
      showCounts(running.counts, out, terminal);
      return;
    } catch (error) {
      throw withHint(error, config.venue.rest, configuredVenueHint);
    } finally {
      await http.close();
    }
  },
});

function showMark(
  { state, marketId, reason }: RecorderMark,
  time: UnixMs,
  terminal: Terminal,
): void {
  terminal.emit("record.mark", { state, market: marketId ?? null, reason, time });
  const where = marketId === undefined ? "" : ` ${marketId}`;
  const suffix = reason === "" ? "" : `: ${reason}`;
  const line = `${timeText(time)}  ${state}${where}${suffix}`;
  terminal.say(state === "opened" ? terminal.dim(line) : terminal.red(line));
}

function showCounts(
  counts: RecorderCounts & { readonly sourceValues: number },
  out: string,
  terminal: Terminal,
): void {
  const { depthEvents, levelChanges, trades, books, gaps, interruptions, sourceValues } = counts;
  const prices = sourceValues === 0 ? "" : `, ${counted(sourceValues, "source price")}`;
  terminal.print(
    `${counted(depthEvents, "depth event")} (${counted(levelChanges, "level change")}), ${counted(trades, "trade")}, ${counted(books, "book")}${prices} in ${out}`,
  );
  const lost = `${counted(gaps, "gap")}, the stream lost ${counted(interruptions, "time")}`;
  terminal.print(gaps + interruptions === 0 ? terminal.dim(lost) : terminal.red(lost));
}
