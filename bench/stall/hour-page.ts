import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DashboardFold } from "../../src/dashboard/dashboard-fold.ts";
import { startDashboard } from "../../src/dashboard/server.ts";
import { ZERO } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";

/** The page of four strategies that have run for an hour, without a bot below it: what its histories cost the thread. */

const market = {
  marketId: marketId("1", "2"),
  ticker: "ETH/USDT",
  baseToken: tokenId("1"),
  quoteToken: tokenId("2"),
  makerFee: ZERO,
  takerFee: ZERO,
  listed: true,
  rules: { type: "grid" as const },
};
const strategies = [1, 2, 3, 4].map((at) => ({ strategy: `maker-${at}`, market }));
const fold = new DashboardFold(strategies, 20);
const startMs = Date.now() - 3_600_000;
let seq = 0;
function second(): void {
  const nowMs = unixMs(startMs + seq * 1_000);
  seq += 1;
  fold.observe({ batch: { seq, nowMs, inputs: [] }, effects: [], notes: [] });
}
while (seq < 3_600) second();
setInterval(second, 1_000);

const none: readonly [] = [];
const latency = { tickToOrderP50Us: null, tickToOrderP99Us: null };
const page = await startDashboard({
  host: "127.0.0.1",
  port: 0,
  allowedHosts: [],
  insecureControl: false,
  about: { bot: "hour", mode: "paper", venue: "none", startedMs: startMs },
  version: "bench",
  webDir: mkdtempSync(path.join(tmpdir(), "touchline-web-")),
  journal: mkdtempSync(path.join(tmpdir(), "touchline-journal-")),
  journalThread: "",
  strategies: () => none,
  command: () => Promise.reject(new Error("no bot")),
  snapshot: (sinceMs) =>
    fold.snapshot(
      {
        latency,
        calls: [],
        sources: [],
        missed: 0,
        nets: [],
        uptimes: new Map(),
        described: new Map(),
        standstills: new Map(),
      },
      sinceMs,
    ),
});
process.stdout.write(`${JSON.stringify({ event: "run", dashboard: page.url })}\n`);
