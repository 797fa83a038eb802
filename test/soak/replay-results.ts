import { createHash } from "node:crypto";
import path from "node:path";
import { recordingInfo } from "../../src/recordings/info.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runReplay } from "../../src/backtest/run-replay.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { keccak256 } from "../backtest/hand-made.ts";
import { marketMaker } from "../backtest/market-maker.ts";
import { io } from "../recordings/shared-sets.ts";

/** Prints a line for each replay: node --conditions=touchline-source test/soak/replay-results.ts RECORDING TIMES */
const [folder = "", times = "1"] = process.argv.slice(2);
const recording = new Recording(io, path.resolve(folder));
const [market] = runAll(recordingInfo(recording));
if (market === undefined) throw new Error("a market");
const config = await marketMaker(market.market, market.symbol);
for (let run = 0; run < Number(times); run += 1) {
  const report = await runReplay({
    config,
    recording,
    keccak256,
    clock: systemClock,
    pause: async () => undefined,
  });
  const { wallMs: _wall, levelChangesPerSecond: _speed, ...result } = report.result;
  const sha256 = createHash("sha256").update(JSON.stringify(result)).digest("hex");
  process.stdout.write(
    `decisionsHash ${result.decisionsHash}, ${result.fills} fills, result ${sha256}\n`,
  );
}
