import { expect, test } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { createLog } from "../../src/platform/log.ts";
import type { ObservedEntry } from "../../src/runtime/observers.ts";
import { warnAboutSettings } from "../../src/runtime/warn-about-settings.ts";
import strategy from "../../strategies/pure-market-making.ts";
import { ETH_USDT as marketId, NOW, testAddress, testMarket } from "../support/exchange.ts";
import { testKernelConfig } from "../support/kernel-config.ts";

test("a start warns of a tick that is wider than spread and steps, as soon as there is a book", () => {
  const said: unknown[] = [];
  const log = createLog({ destination: { write: (line) => void said.push(JSON.parse(line).msg) } });
  const written = { bidSpread: "1%", askSpread: "1%", size: "1", levels: 3, levelSpread: "0.2%" };
  const params: unknown = strategy.params.parse(written);
  const config = testKernelConfig("run", {
    owner: testAddress(1),
    markets: [testMarket()],
    strategies: [{ name: "m", definition: strategy, params, marketId, seed: 1 }],
  });
  let observe: (entry: ObservedEntry) => void = () => undefined;
  warnAboutSettings(config, log, {
    on(listener) {
      observe = listener;
      return () => undefined;
    },
  });
  expect(said).toEqual([]);
  const book = (bids: Float64Array): ObservedEntry => {
    const snapshot = { marketId, lastId: 1, timeMs: NOW, bids, asks: Float64Array.of(2.3e-7, 1) };
    return {
      batch: { seq: 1, nowMs: unixMs(NOW), inputs: [{ type: "book", snapshot }] },
      effects: [],
      notes: [],
      tickToOrder: [],
    };
  };
  observe(book(new Float64Array()));
  expect(said).toEqual([]);
  for (let round = 0; round < 2; round += 1) observe(book(Float64Array.of(2.1e-7, 1)));
  expect(said).toEqual([
    expect.stringMatching(/^a tick is 4\.5% of the price, wider than the first spread \(1%\)/),
    expect.stringMatching(
      /levels \(0\.2%\) is less than a tick .*: levels meet on one price and become one quote$/,
    ),
  ]);
});
