import { symbolsIn } from "../token-of.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { asPath, argument, repeated, text, timeOption } from "../option.ts";
import { openOutput } from "../replay-output.ts";
import { withProgress } from "../progress.ts";
import { openRecordingIo } from "../recording-io.ts";
import { strategyOption, strategyOverrides } from "../strategy-option.ts";

export default defineCliCommand({
  summary: "replay a recording for a bot's strategies in virtual time",
  args: {
    config: asPath(argument("<config>", "YAML file of a bot; its account and venue are not used")),
  },
  options: {
    data: asPath(text("--data <dir>", "folder of the recording (required)")),
    market: repeated(
      "--market <a=b>",
      "play the recording's market B as the config's market A; may be repeated",
    ),
    from: timeOption("--from <time>", "start the bot here; earlier events only build the book"),
    to: timeOption("--to <time>", "play no events after this time"),
    strategy: strategyOption,
    out: asPath(
      text("--out <dir>", "write the result, its tables (CSV, Parquet) and reports here"),
    ),
    report: asPath(text("--report <file>", "write a page with charts; replaced if it exists")),
  },
  examples: [
    "replay config/demo.yaml --data config/recordings/zilusdt --market 1_2=ZIL_USDT",
    "replay bot.yaml --data recordings/btcusdt --from 2024-08-09T00:00:00Z --json",
    "replay bot.yaml --data recordings/btcusdt --out results/btcusdt",
    "replay bot.yaml --data recordings/btcusdt --report btcusdt.html",
  ],
  async run({ args, options, overrides, terminal, env }) {
    if (options.data === undefined) {
      throw usageError("--data is missing; it names the folder of the recording.");
    }
    const names = new Map(options.market.map(nameOf));
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const { keyWarnings } = await import("../../config/key-warnings.ts");
    const { loadKeccak256 } = await import("../../platform/keccak.ts");
    const { systemClock } = await import("../../platform/clock.ts");
    const { Recording } = await import("../../recordings/recording.ts");
    const { replaySteps } = await import("../../backtest/run-replay.ts");
    const { replayText } = await import("../replay-text.ts");
    const { guardStrategies } = await import("../../backtest/impure-calls.ts");
    guardStrategies();
    const config = await loadBotConfig(args.config, {
      overrides: [...strategyOverrides(options.strategy), ...overrides],
      env,
      needs: "nothing",
    });
    const keccak256 = await loadKeccak256();
    const io = await openRecordingIo();
    const recording = new Recording(io, options.data);
    const output = await openOutput(io, options);
    const steps = replaySteps({
      config,
      recording,
      keccak256,
      clock: systemClock,
      names,
      fromMs: options.from,
      toMs: options.to,
      details: output?.details,
    });
    const report = await withProgress(terminal, "replaying", steps);
    const { result, finished } = report;
    const warnings = [...keyWarnings(config, "replay"), ...report.warnings];
    for (const warning of warnings) terminal.warn(warning);
    const { manifest } = recording;
    await output?.write({ config, manifest, report, warnings, env });
    terminal.emit("result", { ...result, warnings });
    terminal.print(replayText(result, terminal, symbolsIn(report.markets)));
    const written = [options.out, options.report].filter((place) => place !== undefined);
    if (written.length > 0) terminal.print(`Written to ${written.join(" and ")}`);
    return finished?.ok === true ? exitCode.done : exitCode.failed;
  },
});

function nameOf(written: string): readonly [left: string, right: string] {
  const match = /^([^=]+)=([^=]+)$/.exec(written);
  if (match?.[1] === undefined || match[2] === undefined) {
    throw usageError(`--market ${written} is not of the form CONFIG_MARKET=RECORDED_MARKET.`);
  }
  return [match[1], match[2]];
}
