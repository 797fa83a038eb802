import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { entriesFromStart, openJournal, runAt, runOption } from "../journal-run.ts";
import { argument, text } from "../option.ts";
import { pairs } from "../table.ts";

export const journalVerify = defineCliCommand({
  words: ["journal", "verify"],
  summary: "re-run a recorded session and compare every decision, byte and signature",
  args: { dir: argument("<dir>", "the folder that `journal.path` names") },
  options: {
    run: runOption,
    config: text("--config <file>", "YAML file of the run, to find its plugins"),
    signerEnv: text(
      "--signer-env <name>",
      "also sign again with the key in this environment variable",
    ),
  },
  examples: ["journal verify data/journal", "journal verify data/journal --run 1 --json"],
  async run({ args, options, terminal, env }) {
    const { store, runs } = await openJournal(args.dir);
    const run = runAt(runs, options.run);
    const { verifyRun } = await import("../../journal/verify.ts");
    const { loadCrypto } = await import("../../platform/crypto.ts");
    const { resigner, verifyTools } = await import("../journal-tools.ts");
    const crypto = await loadCrypto();
    const tools = await verifyTools(run.header, crypto, {
      configFile: options.config ?? "touchline.yaml",
    });
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
