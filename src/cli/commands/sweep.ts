import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { defineCliCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { asPath, argument, integer, text } from "../option.ts";
import { openRecordingIo } from "../recording-io.ts";
import { codeVersion } from "../version.ts";

export default defineCliCommand({
  summary: "search the parameters of a bot over recordings, on all cores",
  details:
    "What is finished is kept: the same command after an interruption goes on where it ended.",
  args: { sweep: asPath(argument("<sweep>", "YAML file of the sweep")) },
  options: {
    workers: integer("--workers <n>", "processes that replay (default: all cores)", {
      min: 1,
      max: 1024,
    }),
    out: asPath(
      text("--out <dir>", "folder of the results (default: beside the sweep, NAME-results)"),
    ),
    best: integer("--best <n>", "runs to show", { min: 1, max: 10_000, fallback: 10 }),
    open: integer(
      "--open <n>",
      "replay run N again, and write its result and report to OUT/run-N",
      {
        min: 1,
        max: 1_000_000,
      },
    ),
    report: asPath(text("--report <file>", "also write a page with charts, in one file")),
  },
  examples: [
    "sweep config/sweep.yaml --out sweep-results",
    "sweep config/sweep.yaml --out sweep-results --open 3",
    "sweep config/sweep.yaml --out sweep-results --workers 4 --report sweep.html --json",
  ],
  async run({ args, options, overrides, terminal, interrupt, env }) {
    const { loadSweepConfig } = await import("../../config/load-sweep-config.ts");
    const { processorCount } = await import("../../platform/process-pool.ts");
    const { JobLog } = await import("../../sweep/job-log.ts");
    const { openJobPool } = await import("../../sweep/job-pool.ts");
    const { runSweep } = await import("../../sweep/run-sweep.ts");
    const { judgeTrials } = await import("../../sweep/judge-trials.ts");
    const { writeText } = await import("../../backtest/result-folder.ts");
    const { sweepCsv, sweepJson } = await import("../../sweep/sweep-files.ts");
    const { SweepBar } = await import("../sweep-bar.ts");
    const { sweepText } = await import("../sweep-text.ts");
    const config = await loadSweepConfig(args.sweep, { overrides, env });
    const io = await openRecordingIo();
    const out = options.out ?? resultFolder(args.sweep);
    const log = new JobLog(io, out);
    const bar = new SweepBar(terminal);
    const pool = openJobPool(options.workers ?? processorCount());
    interrupt.beforeExit(() => {
      bar.clear();
      terminal.note(
        `${bar.text} What has ended is in ${out}. Run the same command again to go on.`,
      );
    });
    try {
      const outcome = await runSweep({
        config,
        version: codeVersion(),
        io,
        env,
        runJob: (job) => pool.run(job),
        log,
        pause: setImmediate,
        onProgress: (progress) => bar.draw(progress),
      });
      bar.clear();
      const result = judgeTrials(config, outcome);
      writeText(io, path.join(out, "results.csv"), sweepCsv(result));
      writeText(io, path.join(out, "results.json"), sweepJson(result));
      if (options.report !== undefined) {
        const { sweepPage } = await import("../../sweep/sweep-page.ts");
        writeText(io, options.report, sweepPage(result));
      }
      const opened = options.open === undefined ? undefined : outcome.trials[options.open - 1];
      if (options.open !== undefined && opened === undefined) {
        throw usageError(`--open ${options.open}: the sweep has ${outcome.trials.length} runs.`);
      }
      for (const warning of [...result.replayWarnings.slice(0, 5), ...result.warnings]) {
        terminal.warn(warning);
      }
      for (const row of result.rows) terminal.emit("sweep.run", { ...row });
      const { objective, parameters, best, decay, warnings } = result;
      const { done, reused } = outcome.progress;
      const jobs = { replays: done, reused };
      terminal.emit("sweep", { out, objective, parameters, best, decay, warnings, ...jobs });
      terminal.print(sweepText(result, options.best, terminal));
      terminal.print(terminal.dim(`${done} replays, ${reused} of them from before, in ${out}`));
      if (opened !== undefined) {
        const { openRun } = await import("../open-run.ts");
        const place = path.join(out, `run-${options.open}`);
        const folders = await openRun(opened.jobs, { io, env, terminal, out: place });
        terminal.print(`Run ${options.open} is in ${folders.join(" and ")}`);
      }
      return result.best.length > 0 ? exitCode.done : exitCode.failed;
    } finally {
      interrupt.beforeExit(undefined);
      pool.close();
      log.close();
    }
  },
});

function resultFolder(file: string): string {
  const { dir, name } = path.parse(file);
  return path.join(dir, `${name}-results`);
}
