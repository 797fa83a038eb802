import { expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { fixedToNumber } from "../../src/domain/fixed.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { startLive } from "../../src/runtime/live.ts";
import { VirtualProcess } from "../../src/sim/virtual-process.ts";
import { liveWorld } from "./live-world.ts";
test("maxPosition holds over ten restarts", async () => {
  const world = await liveWorld(4, { flow: { synthetic: { prices: { "1_2": 100 }, takerEveryMs: 100, takerNotional: 300 } } });
  let bought = 0;
  for (let run = 1; run <= 10; run += 1) {
    const process = new VirtualProcess({ timer: world.clock, http: world.ports.http, connector: world.ports.connector });
    const params = { bidSpread: "0.01%", askSpread: "0.1%", size: "0.5", sides: "bids", levels: 1, refresh: "2s", tolerance: "0.02%" };
    const [maker] = world.settings.strategies;
    const bot = await world.settle(startLive({ ...world.settings, risk: riskSchema.parse({ maxPosition: "0.5" }), strategies: [{ ...maker!, params: pureMarketMaking.params.parse(params), writtenParams: params }] }, { ...world.ports, timer: process.timer, http: process.http, connector: process.connector }));
    bot.observers.on(({ notes }) => { for (const note of notes) if (note.type === "fill") bought += fixedToNumber(note.fill.quantity); });
    await world.clock.runFor(60_000);
    bot.observers.flush(); process.kill(); world.store.killed();
    await world.clock.runFor(1_000);
  }
  expect(bought).toBeLessThanOrEqual(0.5);
  expect(bought).toBeGreaterThan(0);
}, 60_000);
