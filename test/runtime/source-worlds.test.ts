import { describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import type { LiveSettings } from "../../src/runtime/live-settings.ts";
import { expectVerified, liveWorld, stopped } from "./live-world.ts";

/** Worlds in which a price source falls silent, jumps, and gives prices that are none, over a network that loses and delays. */

const MAX_AGE_MS = 2_000;
/** A cancel may need another attempt over such a network. */
const CANCEL_MS = 6_000;

const sources: NonNullable<LiveSettings["sources"]> = [
  {
    name: "reference",
    origin: { type: "input" },
    maxAgeMs: MAX_AGE_MS,
    whenOld: "stop",
    jump: { share: 0.01 },
    feed: {
      type: "json",
      url: "http://prices:80/",
      everyMs: 200,
      send: undefined,
      paths: { bid: "price", ask: "price", time: undefined },
    },
  },
];

async function world(seed: number) {
  const at = await liveWorld(seed, { prices: { "1_2": 2000 } });
  const prng = new Prng(seed).fork("prices");
  const server = { mode: "fair" };
  const prices: Readonly<Record<string, () => unknown>> = {
    fair: () => 2000 + prng.int(-2, 2),
    jumped: () => 3000 + prng.int(-2, 2),
    wild: () => 2000 * (1 + prng.unit()),
    impossible: () => prng.pick([0, -1, "NaN", null]),
  };
  await at.settle(
    at.network.servers.listen({
      host: "prices",
      port: 80,
      socketPath: "/ws",
      maxBodyBytes: 100,
      maxFrameBytes: 1000,
      respond() {
        const price = prices[server.mode]?.();
        if (price === undefined) return { status: 503, body: "" };
        return { status: 200, body: JSON.stringify({ price }) };
      },
      connected: () => ({ frame: () => undefined, pong: () => undefined, closed: () => undefined }),
    }),
  );
  return { at, prng, server };
}

describe("a source that fails", () => {
  it.each([1, 2, 3, 4, 5, 6])(
    "leaves no quote open for long while it is old, and the run re-runs the same (seed %i)",
    async (seed) => {
      const { at, prng, server } = await world(seed);
      const bot = await at.start({ sources });
      await at.clock.runFor(5_000);
      Object.assign(at.network.faults, { latencyMs: [0, 150] });
      let oldMs = 0;
      let quotedMs = 0;
      for (let step = 0; step < 240; step += 1) {
        if (step % 20 === 0) {
          server.mode = prng.pick(["fair", "silent", "jumped", "wild", "impossible"]);
        }
        await at.clock.runFor(250);
        const [reference] = bot.sources;
        const isOld = (reference?.ageMs ?? Infinity) > MAX_AGE_MS;
        oldMs = isOld ? oldMs + 250 : 0;
        const open = at.openOrders(bot).length;
        if (open > 0) quotedMs += 250;
        if (oldMs > CANCEL_MS) expect(open).toBe(0);
      }
      expect(quotedMs).toBeGreaterThan(5_000);
      server.mode = "fair";
      await at.clock.runFor(30_000);
      expect(at.openOrders(bot).length).toBeGreaterThan(0);
      expect(await stopped(at, bot)).toMatchObject({ ok: true });
      await expectVerified(at);
    },
  );
});
