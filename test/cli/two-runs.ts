import type { MemoryStore } from "../../src/sim/memory-store.ts";
import { liveWorld, stopped } from "../runtime/live-world.ts";

/** The configuration of the bot whose runs `recordTwoRuns` records. */
export const twoRunsYaml = `
venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1001, l1ChainId: 1 }
rateLimit: { perSecond: 20, burst: 40, concurrency: 8 }
strategies:
  - name: maker
    plugin: pure-market-making
    market: "1_2"
    seed: 3
    params: { bidSpread: 0.1%, askSpread: 0.1%, size: "0.5", levels: 2, levelSpread: 0.05%, refresh: 2s, tolerance: 0.02% }
`;

/** A store with the journal of two runs of 20 s each, in the folder `journal`. */
export async function recordTwoRuns(): Promise<MemoryStore> {
  const world = await liveWorld(1);
  for (let run = 0; run < 2; run += 1) {
    const running = await world.start();
    await world.clock.runFor(20_000);
    await stopped(world, running);
  }
  return world.store;
}
