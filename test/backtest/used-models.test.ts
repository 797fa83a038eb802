import { expect, test } from "vitest";
import { modelsText, type UsedModels } from "../../src/backtest/used-models.ts";

const rates = { maker: "0.0002", taker: "0.0005" };
const models: UsedModels = {
  fills: { queue: "power", exponent: 3, partialFills: true },
  latency: { entry: "uniform(5ms, 25ms)", response: "20ms", feed: "10ms" },
  fees: { markets: { "1_2": rates, "3_2": rates }, tiers: [] },
};

test("the models' line names each latency and the fees", () => {
  expect(modelsText(models)).toBe(
    "fills power(3); latency entry uniform(5ms, 25ms), response 20ms, feed 10ms; fees maker 0.02%, taker 0.05%",
  );
});

test("fees that differ between markets are given for each, and tiers are counted", () => {
  const rebate = { maker: "-0.0001", taker: "0.0005" };
  const fees = { markets: { "1_2": rates, "3_2": rebate }, tiers: [{ ...rebate, volume: "1000" }] };
  expect(modelsText({ ...models, fees })).toMatch(
    /; fees maker 0\.02%, taker 0\.05% in 1_2 and maker -0\.01%, taker 0\.05% in 3_2, then 1 tier by volume$/,
  );
});
