import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runReplay } from "../../src/backtest/run-replay.ts";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { addFixed, fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { marketId } from "../../src/domain/ids.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { recordingInfo } from "../../src/recordings/info.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { queueNames } from "../../src/simulated/queue-models.ts";
import { filesOf, io, sets } from "../recordings/shared-sets.ts";

/** Prints a table of docs/replay.md: node test/backtest/print-fill-models.ts [--only 01] */
const only = process.argv[process.argv.indexOf("--only") + 1];
const crypto = await loadCrypto();
const bot = await loadBotConfig(path.join(import.meta.dirname, "../data/replay-bot.yaml"));
const [maker] = bot.strategies;
if (maker === undefined) throw new Error("one strategy");

/** Quantity of a quote in base token, about what a trade of the market has. */
const sizes: Readonly<Record<string, string>> = {
  BTCUSDT: "0.01",
  ETHUSDT: "0.1",
  "BTC-USD": "0.01",
  TRXUSDT: "500",
  ZILUSDT: "500",
  MANAUSDT: "100",
  DENTUSDT: "20000",
  ETHBRL: "0.05",
  BTCAUD: "0.005",
  LRCBTC: "100",
  NKNUSDT: "100",
};

console.log("| set | market | model | fills | fill ratio | PnL | decisions |");
console.log("|---|---|---|---:|---:|---:|---|");
for (const set of sets) {
  if (process.argv.includes("--only") && !set.name.startsWith(only ?? "")) continue;
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-fills-"));
  const out = path.join(folder, "recording");
  importRecording(io, { format: set.format, files: filesOf(set), out });
  const recording = new Recording(io, out);
  for (const { market, symbol, trades } of runAll(recordingInfo(recording))) {
    if (trades === 0) continue;
    const [base = "", quote = ""] = market.split("_");
    for (const queue of queueNames) {
      const { result } = await runReplay({
        config: {
          ...bot,
          balances: { [base]: "1000000000", [quote]: "1000000000" },
          models: { ...bot.models, fills: { ...bot.models.fills, queue } },
          strategies: [
            {
              ...maker,
              marketId: marketId(base, quote),
              params: maker.definition.params.parse({
                bidSpread: "0.005%",
                askSpread: "0.005%",
                size: sizes[symbol] ?? "1",
                refresh: "500ms",
                tolerance: "0.01%",
              }),
            },
          ],
        },
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
      console.log(`| ${row.join(" | ")} |`);
    }
  }
  rmSync(folder, { recursive: true });
}
