import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { reviewOf } from "../../src/strategy/review.ts";
import { liveWorld, stopped } from "./live-world.ts";

const folder = fileURLToPath(new URL("../../config/", import.meta.url));
const others = ["demo.yaml", "demo-venue.yaml", "sweep.yaml"];
const files = readdirSync(folder).filter(
  (name) => name.endsWith(".yaml") && !others.includes(name),
);

test.each(files)("config/%s orders on a paper venue with the defaults", async (name) => {
  const config = await loadBotConfig(folder + name, { env: {}, needs: "nothing" });
  for (const { definition, params } of config.strategies) {
    const market = { makerFee: 0.0002, takerFee: 0.0005, priceCollar: 0.05 };
    expect(reviewOf(definition, { params, ...market })).toEqual([]);
  }
  const world = await liveWorld(1, { moreMarkets: ["3"] });
  const { strategies, sources } = config;
  const bot = await world.start({ strategies, sources });
  await world.clock.runFor(45_000);
  const { summary } = await stopped(world, bot);
  expect(summary.quotesPlaced + summary.takerFills).toBeGreaterThan(0);
  expect(summary.denied).toEqual([]);
});
