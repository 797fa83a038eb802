import { partsOf } from "../../domain/market-roles.ts";
import { defineCliCommand } from "../command.ts";
import { openJournal } from "../journal-run.ts";
import { asPath, argument } from "../option.ts";
import { right, table } from "../table.ts";
import { timeText } from "../time-text.ts";

export default defineCliCommand({
  summary: "list the runs in a journal",
  args: { dir: asPath(argument("<dir>", "the folder that `journal.path` names")) },
  examples: ["journal ls data/journal"],
  async run({ args, terminal }) {
    const { runs } = await openJournal(args.dir);
    const rows = runs.map(({ header, segments }, at) => ({
      run: at + 1,
      runId: header.runId,
      startedAt: header.startedAtMs,
      codeVersion: header.codeVersion,
      owner: header.kernel.owner,
      signer: header.signer,
      strategies: partsOf(header.strategies).map(({ name, marketId }) => ({
        name,
        market: marketId,
      })),
      segments: segments.map((segment) => segment.name),
    }));
    terminal.emit("journal.ls", { runs: rows });
    terminal.print(
      table(
        [right("run"), "started (UTC)", "version", "signer", "strategies", right("segments")],
        rows.map((row) => [
          String(row.run),
          timeText(row.startedAt),
          row.codeVersion,
          row.signer,
          row.strategies.map(({ name, market }) => `${name} in ${market}`).join(", "),
          String(row.segments.length),
        ]),
      ),
    );
  },
});
