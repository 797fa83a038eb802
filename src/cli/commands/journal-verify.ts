import { counted } from "../../base/counted.ts";
import type { ConfigOptions } from "../../config/read-config.ts";
import type { RecordedRun } from "../../journal/segments.ts";
import type { Store } from "../../ports/store.ts";
import type { ChangedStep } from "../../runtime/compare-run.ts";
import {
  commandData,
  commandText,
  decisionText,
  denialData,
  denialLine,
} from "../../runtime/order-story.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { entriesFromStart, openJournal, runAt, runOption, trustOptions } from "../journal-run.ts";
import { asPath, argument, text } from "../option.ts";
import { pairs } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { timeText } from "../time-text.ts";
import { codeVersion } from "../version.ts";

export default defineCliCommand({
  summary: "re-run a recorded session and compare every decision, byte and signature",
  details:
    "With --with, the recorded inputs are run with the strategies, limits and settings of another file, and the first decision that differs is shown. What follows it would have had other inputs.",
  args: { dir: asPath(argument("<dir>", "the folder that `journal.path` names")) },
  options: {
    run: runOption,
    ...trustOptions,
    signerEnv: text(
      "--signer-env <name>",
      "also sign again with the key in this environment variable",
    ),
    with: asPath(
      text("--with <file>", "YAML file of a bot: show the first decision that it would change"),
    ),
  },
  examples: [
    "journal verify data/journal",
    "journal verify data/journal --run 1 --json",
    "journal verify data/journal --with my-changed-bot.yaml",
  ],
  async run({ args, options, overrides, terminal, env }) {
    const { store, runs } = await openJournal(args.dir);
    const run = runAt(runs, options.run);
    const recordedBy = run.header.codeVersion;
    if (recordedBy !== codeVersion()) {
      terminal.warn(
        `the run was recorded by touchline ${recordedBy}, which is the version to verify it with: this one, ${codeVersion()}, may decide differently.`,
      );
    }
    if (options.with !== undefined) {
      await compare({ store, run, terminal }, options.with, { overrides, env });
      return exitCode.done;
    }
    const { verifyRun } = await import("../../journal/verify.ts");
    const { loadCrypto } = await import("../../platform/crypto.ts");
    const { resigner, verifyTools } = await import("../journal-tools.ts");
    const crypto = await loadCrypto();
    const tools = await verifyTools(run.header, crypto, options);
    const signAgain =
      options.signerEnv === undefined
        ? {}
        : { signAgain: await resigner(options.signerEnv, env, crypto, run.header) };
    const result = verifyRun(run.header, entriesFromStart(store, run), { ...tools, ...signAgain });
    terminal.emit("verified", { ...result });
    terminal.print(
      result.identical
        ? terminal.green("Identical: the inputs reproduce every decision and every byte.")
        : terminal.red("Not identical."),
    );
    terminal.print(
      pairs([
        ["  run", `${runs.indexOf(run) + 1} of ${runs.length}`],
        ["  batches", String(result.batches)],
        ["  decisions", String(result.decisions)],
        ["  signed commands", String(result.signed)],
        ["  signatures by the recorded signer", String(result.recovered)],
      ]),
    );
    const difference = result.firstDifference;
    if (difference !== null) {
      terminal.print(`First difference, batch ${difference.seq}: ${difference.message}`);
    }
    return result.identical ? exitCode.done : exitCode.failed;
  },
});

/** Prints the first decision of a run that another configuration would make differently. */
async function compare(
  { store, run, terminal }: { store: Store; run: RecordedRun; terminal: Terminal },
  file: string,
  options: ConfigOptions,
): Promise<void> {
  const { kernelConfigWith } = await import("../journal-tools.ts");
  const { compareRun } = await import("../../runtime/compare-run.ts");
  const config = await kernelConfigWith(run.header, file, options);
  const { batches, commands, firstDifference } = compareRun(entriesFromStart(store, run), config);
  terminal.emit("compared", {
    with: file,
    batches,
    commands,
    firstDifference: firstDifference === null ? null : differenceData(firstDifference),
  });
  if (firstDifference === null) {
    terminal.print(
      `${file} gives the same ${counted(commands, "command")} in ${counted(batches, "batch", "batches")}.`,
    );
    return;
  }
  for (const line of differenceLines(firstDifference)) terminal.print(line);
}

function differenceData(difference: ChangedStep): Readonly<Record<string, unknown>> {
  const { timeMs, recorded, changed, denied, strategy = null, failure = null } = difference;
  return {
    seq: difference.seq,
    time: timeMs,
    strategy,
    recorded: recorded.map((command) => commandData(command, undefined)),
    changed: changed.map((command) => commandData(command, undefined)),
    decided: difference.decided,
    denied: denied.map(denialData),
    failure,
  };
}

function* differenceLines(difference: ChangedStep): Generator<string> {
  const { seq, timeMs, strategy, recorded, changed, decided, denied, failure } = difference;
  yield `First difference: batch ${seq}, ${timeText(timeMs)}, strategy ${strategy ?? "unknown"}`;
  yield* listed("recorded", recorded.map(commandText));
  if (failure !== undefined) yield `  would fail: ${failure}`;
  yield* listed("would be", changed.map(commandText));
  yield* listed("wanted", decided.map(decisionText));
  yield* listed("denied", denied.map(denialLine));
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 && title !== "denied"
    ? [`  ${title}: nothing`]
    : lines.map((line) => `  ${title}: ${line}`);
}
