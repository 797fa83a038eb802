import { queueNames } from "../../simulated/queue-models.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { entriesFromStart, openJournal, runAt, runOption, trustOptions } from "../journal-run.ts";
import { asPath, argument, durationOption, oneOf, repeated, text } from "../option.ts";
import { withProgress } from "../progress.ts";

/** How far a replayed fill or order may be from the live one that it matches, milliseconds. */
const WINDOW_MS = 500;

export default defineCliCommand({
  summary: "replay a recorded run with each model, and say which fits the venue best",
  details:
    "The market data that the bot received is the recording. docs/parity.md says how a score is computed, and what a run cannot tell. Exit code 1: the run has no fills, so nothing can be said.",
  args: { dir: asPath(argument("<journal>", "the folder that `journal.path` names")) },
  options: {
    run: {
      ...runOption,
      about: "number of the run in `journal ls` (default: the last run with fills)",
    },
    ...trustOptions,
    queue: repeated(
      "--queue <name>",
      `one of ${queueNames.join(", ")}; may be repeated (default: all)`,
    ),
    latency: repeated(
      "--latency <delay>",
      "such as 20ms, lognormal(20ms, 5ms) or measured (the journal's own); may be repeated (default: 0ms, 5ms, 20ms, 50ms, 200ms, measured)",
    ),
    decisions: oneOf<"recorded" | "strategy">(
      "--decisions <whose>",
      "recorded: replays repeat the targets that the run set. strategy: the strategies decide again",
      ["recorded", "strategy"],
    ),
    window: durationOption(
      "--window <time>",
      "how far apart a fill or an order of both may be (default 500ms)",
    ),
    orders: asPath(
      text("--orders <file>", "write the orders of the run and of the best replay as CSV"),
    ),
  },
  examples: [
    "parity data/journal",
    "parity data/journal --decisions strategy --orders orders.csv",
    "parity data/journal --run 3 --queue risk-averse --queue power --latency measured --json",
  ],
  async run({ args, options, terminal }) {
    const { comparedRun } = await import("../../parity/compared-run.ts");
    const { lastWithFills } = await import("../../parity/chosen-run.ts");
    const { chosenLatencies, chosenQueues } = await import("../parity-models.ts");
    const { parityText } = await import("../parity-text.ts");
    const { entriesOfRun } = await import("../../journal/segments.ts");
    const { recordedStrategies } = await import("../journal-tools.ts");
    const { loadKeccak256 } = await import("../../platform/keccak.ts");
    const queues = chosenQueues(options.queue);
    const latencies = chosenLatencies(options.latency);
    const { store, runs } = await openJournal(args.dir);
    const run =
      options.run === undefined
        ? (lastWithFills(runs, (one) => entriesOfRun(store, one)) ?? runAt(runs, undefined))
        : runAt(runs, options.run);
    const { guardStrategies } = await import("../../backtest/impure-calls.ts");
    guardStrategies();
    const strategies = await recordedStrategies(run.header, options);
    const keccak256 = await loadKeccak256();
    const compared = await withProgress(
      terminal,
      "replaying",
      comparedRun({
        header: run.header,
        entries: entriesFromStart(store, run),
        strategies,
        decisions: options.decisions,
        fills: queues,
        latencies,
        windowMs: options.window ?? WINDOW_MS,
        keccak256,
      }),
    );
    const { report, warnings } = compared;
    for (const warning of warnings) terminal.warn(warning);
    if (options.orders !== undefined) {
      const { writeText } = await import("../../backtest/result-folder.ts");
      const { orderCsv } = await import("../../parity/order-csv.ts");
      writeText({ store }, options.orders, orderCsv(report.orderRows));
    }
    const number = runs.indexOf(run) + 1;
    for (const model of report.models) terminal.emit("parity.model", { ...model });
    terminal.emit("parity", {
      run: number,
      runId: run.header.runId,
      ...compared.span,
      decisions: options.decisions,
      live: report.live,
      best: report.best ?? null,
      decidedAgain: compared.decidedAgain ?? null,
      alike: report.alike,
      warnings,
    });
    terminal.print(parityText(number, compared, terminal));
    return report.best === undefined ? exitCode.failed : exitCode.done;
  },
});
