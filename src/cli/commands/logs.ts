import type { RunHeader } from "../../journal/entry.ts";
import { defineCliCommand } from "../command.ts";
import { openRun, runOption } from "../journal-run.ts";
import type { LogLevel } from "../log.ts";
import { asPath, argument, flag, oneOf } from "../option.ts";

/** Between two looks at the journal. */
const EVERY_MS = 1_000;

export default defineCliCommand({
  summary: "show what a bot's last run has logged",
  details:
    "The run is made again from its journal, so it needs no log file: the lines are those of the bot's steps, with their times. Lines about the process alone, such as its start, are on its stderr only.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: {
    run: runOption,
    follow: flag("--follow", "go on with what the bot logs, until Ctrl-C"),
    level: oneOf<LogLevel>(
      "--level <level>",
      "the least severe lines: info, debug, warn or error",
      ["info", "debug", "warn", "error"],
    ),
  },
  examples: ["logs my-bot.yaml --level warn", "logs my-bot.yaml --follow"],
  endsBySignal: true,
  async run({
    args,
    options: { run: number, follow, level },
    overrides,
    terminal,
    interrupt,
    env,
  }) {
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const { listSegments } = await import("../../journal/segments.ts");
    const { ShownRun } = await import("../shown-run.ts");
    const { journal } = await loadBotConfig(args.config, { overrides, env });
    const opened = await openRun(journal.path, number);
    const { store } = opened;
    const start = (header: RunHeader) => ShownRun.open(header, args.config, level, terminal);
    let shown = await start(opened.run.header);
    shown.read(store, opened.run.segments);
    if (!follow) return;
    while (!interrupt.stop.aborted) {
      await interrupt.pause(EVERY_MS);
      const next = shown.read(store, listSegments(store, journal.path));
      if (next !== undefined) shown = await start(next);
    }
  },
});
