import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runReplay } from "../../src/backtest/run-replay.ts";
import { addFixed, fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { recordingInfo } from "../../src/recordings/info.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { queueNames } from "../../src/simulated/queue-models.ts";
import { filesOf, io, sets } from "../recordings/shared-sets.ts";
import { marketMaker } from "./market-maker.ts";

/** Prints fills, fill ratio and PnL of each model of docs/replay.md: node --conditions=touchline-source test/backtest/print-fill-models.ts [--only 01] */
const only = process.argv[process.argv.indexOf("--only") + 1];
const crypto = await loadCrypto();

process.stdout.write("| set | market | model | fills | fill ratio | PnL | decisions |\n");
process.stdout.write("|---|---|---|---:|---:|---:|---|\n");
for (const set of sets) {
  if (process.argv.includes("--only") && !set.name.startsWith(only ?? "")) continue;
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-fills-"));
  const out = path.join(folder, "recording");
  importRecording(io, { format: set.format, files: filesOf(set), out });
  const recording = new Recording(io, out);
  for (const { market, symbol, trades } of runAll(recordingInfo(recording))) {
    if (trades === 0) continue;
    const bot = await marketMaker(market, symbol);
    for (const queue of queueNames) {
      const { result } = await runReplay({
        config: { ...bot, models: { ...bot.models, fills: { ...bot.models.fills, queue } } },
        recording,
        keccak256: (bytes) => crypto.keccak256(bytes),
        clock: systemClock,
        pause: async () => undefined,
      });
      const { pnl, fills, fillRatio, decisionsHash } = result;
      if (pnl !== null) {
        const parts = [pnl.spread, pnl.inventory, pnl.fees].map(fixed).reduce(addFixed, ZERO);
        if (fixedText(parts) !== pnl.total) throw new Error(`${market}: ${pnl.total}`);
      }
      const row = [
        set.name.slice(0, 2),
        symbol,
        queue,
        fills,
        fillRatio,
        pnl?.total ?? "none",
        `${decisionsHash.slice(0, 10)}…`,
      ];
      process.stdout.write(`| ${row.join(" | ")} |\n`);
    }
  }
  rmSync(folder, { recursive: true });
}
