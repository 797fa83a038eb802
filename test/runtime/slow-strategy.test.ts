import { expect, it } from "vitest";
import { z } from "zod";
import { keepQuotes } from "../../src/strategy/contract.ts";
import { liveWorld, stopped, strategiesOf } from "./live-world.ts";

it("a slow call is warned about in the journal, and the summary has the times of all calls", async () => {
  const world = await liveWorld(51);
  const clock = {
    nowMs: () => world.ports.clock.nowMs(),
    monotonicUs: () => world.ports.clock.monotonicUs() + spentUs,
  };
  let spentUs = 0;
  let count = 0;
  const strategies = strategiesOf([
    {
      name: "maker",
      definition: {
        name: "slow",
        params: z.unknown(),
        init: () => ({}),
        decide() {
          count += 1;
          if (count === 3) spentUs += 80_000;
          return keepQuotes();
        },
      },
    },
  ]);
  const bot = await world.start({ strategies }, { clock });
  const warnings: string[] = [];
  bot.observers.on(({ notes }) => {
    for (const note of notes) {
      if (note.type === "warning" && note.code === "STRATEGY_SLOW") warnings.push(note.message);
    }
  });
  await world.clock.runFor(30_000);
  const end = await stopped(world, bot);
  expect(warnings).toEqual([
    expect.stringMatching(/^maker: decide took 80\.0 ms, more than 50 ms/),
  ]);
  const decided = end.summary.strategyCalls?.find(({ hook }) => hook === "decide");
  expect(decided).toMatchObject({ strategy: "maker", count, maxUs: 80_000 });
});
