import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Touchline, touchline } from "./touchline-process.ts";

/** A bot that is killed and started again in a market that stands still: its orders still fit, so they stay. */

const maker = { TOUCHLINE_KEY: `0x${"11".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"12".repeat(32)}` };
let folder = "";
let venue: Touchline;
let rest = "";

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-adoption-"));
  writeFileSync(
    path.join(folder, "venue.yaml"),
    'flow: none\nfaucet: { "1": "100", "2": "250000" }\n',
  );
  venue = new Touchline(["venue", path.join(folder, "venue.yaml"), "--port", "0"]);
  const listening = await venue.line("listening");
  rest = String(listening["rest"]);
  writeFileSync(
    path.join(folder, "bot.yaml"),
    `venue: { rest: "${rest}", ws: "${String(listening["ws"])}", chainId: 1001 }
account: { signer: { type: env, name: TOUCHLINE_KEY } }
journal: { path: ./journal }
strategies:
  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: 0.1%, askSpread: 0.1%, size: "0.5", levels: 2, levelSpread: 0.05%, refresh: 200ms, tolerance: 0.02% }
`,
  );
});
afterAll(async () => {
  venue.kill("SIGTERM");
  expect(await venue.exit).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

async function openIds(): Promise<string[]> {
  const { lines } = await touchline(["order", "open", "--venue", rest], maker);
  const orders = (lines[0]?.["orders"] ?? []) as { orderId: string }[];
  return orders.map(({ orderId }) => orderId).sort();
}

it("after kill -9 the next run takes its orders up by their ids, sends nothing, and closes them at its end", async () => {
  for (const [side, price] of [
    ["buy", "1990"],
    ["sell", "2010"],
  ] as const) {
    const made = await touchline(
      ["order", "place", "1_2", side, "1", price, "--venue", rest],
      other,
    );
    expect(made.code, made.stderr).toBe(0);
  }
  const first = new Touchline(["run", path.join(folder, "bot.yaml")], maker);
  await first.line("run");
  let before: string[] = [];
  for (let attempt = 0; attempt < 100 && before.length < 4; attempt += 1) {
    await pause(100);
    before = await openIds();
  }
  expect(before).toHaveLength(4);
  first.kill("SIGKILL");
  await first.exit;
  expect(await openIds()).toEqual(before);

  const again = new Touchline(["run", path.join(folder, "bot.yaml")], maker);
  await again.line("run");
  await pause(2_500);
  expect(await openIds()).toEqual(before);
  again.kill("SIGTERM");
  expect(await again.exit).toBe(0);
  expect(await again.line("summary")).toMatchObject({
    quotesPlaced: 0,
    quotesCanceled: 4,
    ordersLeft: 0,
    foreignOrders: 0,
    unknownOutcomes: 0,
  });
  expect(await openIds()).toEqual([]);
}, 40_000);
