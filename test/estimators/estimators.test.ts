import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { Decimal } from "../../src/domain/decimal.ts";
import {
  basis,
  ewma,
  markout,
  microPrice,
  orderFlowImbalance,
  realisedVolatility,
  signImbalance,
  tradeIntensity,
  volatility,
} from "../../src/estimators/index.ts";
import { recoveries, touches } from "./simulated-samples.ts";

/** A restart after each ninth update. */
function restarts() {
  let updates = 0;
  return <State>(state: State): State => {
    updates += 1;
    return updates % 9 > 0 ? state : (JSON.parse(JSON.stringify(state)) as State);
  };
}

const halfLifeMs = 10_000;

test.each(recoveries)("restarts change no digit: $truths.0.name", ({ run }) => {
  expect(run(3, restarts())).toEqual(run(3));
});

/** Weighted mean of values whose weight halves with the half-life, counted from the newest. */
function fadedMean(samples: readonly { timeMs: number; value: number }[]): number {
  const endMs = Math.max(...samples.map(({ timeMs }) => timeMs));
  const weights = samples.map(({ timeMs }) => 0.5 ** ((endMs - timeMs) / halfLifeMs));
  const sum = samples.reduce((total, { value }, at) => total + value * (weights[at] ?? 0), 0);
  return sum / weights.reduce((total, weight) => total + weight, 0);
}

describe("what is computed step by step is what all samples at once give:", () => {
  const prng = new Prng(5);
  const samples = Array.from({ length: 300 }, (_, at) => ({
    timeMs: 1_000 * at + prng.int(0, 999),
    value: 100 + prng.normal(),
  }));

  test("ewma and basis", () => {
    const mean = ewma({ halfLifeMs, minSamples: 1 });
    const spread = basis({ halfLifeMs, minSamples: 1 });
    const [state, apart] = [mean.start(), spread.start()];
    for (const { timeMs, value } of samples) {
      mean.update(state, { timeMs, value });
      spread.update(apart, { timeMs, local: value + 7, source: 7 });
    }
    expect(mean.value(state)).toBeCloseTo(fadedMean(samples), 10);
    expect(spread.value(apart)).toBeCloseTo(fadedMean(samples), 10);
  });

  test("volatility, of prices at least an interval apart", () => {
    const prices = samples.map(({ timeMs, value }) => ({ timeMs, price: value }));
    const kept = prices.slice(0, 1);
    for (const each of prices) {
      if (each.timeMs >= (kept.at(-1)?.timeMs ?? 0) + 2_000) kept.push(each);
    }
    const variances = kept.slice(1).map((each, at) => {
      const before = kept[at] ?? each;
      const seconds = (each.timeMs - before.timeMs) / 1_000;
      return { timeMs: each.timeMs, value: Math.log(each.price / before.price) ** 2 / seconds };
    });
    const faded = volatility({ halfLifeMs, intervalMs: 2_000, minSamples: 5 });
    const realised = realisedVolatility({ samples: 50, intervalMs: 2_000 });
    const [state, ring] = [faded.start(), realised.start()];
    for (const each of prices) {
      faded.update(state, each);
      realised.update(ring, each);
    }
    const newest = variances.slice(-50).reduce((sum, { value }) => sum + value, 0) / 50;
    expect(faded.value(state)).toBeCloseTo(Math.sqrt(fadedMean(variances)), 12);
    expect(realised.value(ring)).toBeCloseTo(Math.sqrt(newest), 12);
  });

  test("A and k: no others are more likely", () => {
    const range = [0.001, 0.01] as const;
    const estimator = tradeIntensity({ halfLifeMs: 1e15, range });
    const state = estimator.start();
    const distances: number[] = [];
    for (let timeMs = 0; timeMs <= 600_000; timeMs += 1_000) {
      const distance = prng.exponential(0.003);
      if (timeMs > 0 && distance >= range[0] && distance < range[1]) distances.push(distance);
      const trade = { price: 100 * (1 + distance), timeMs, isBuyerMaker: false };
      estimator.update(state, { timeMs, mid: 100, trades: [trade] });
    }
    const found = estimator.value(state);
    if (found === undefined) throw new Error("no value");
    const likelihood = (rate: number, decay: number) =>
      distances.reduce((sum, distance) => sum + Math.log(rate * decay) - decay * distance, 0) -
      2 * 600 * rate * (Math.exp(-decay * range[0]) - Math.exp(-decay * range[1]));
    const best = likelihood(found.rate, found.decay);
    for (const [a, k] of [
      [1, 1.01],
      [1, 0.99],
      [1.01, 1],
      [0.99, 1],
      [1.003, 1.003],
    ] as const) {
      expect(likelihood(found.rate * a, found.decay * k)).toBeLessThan(best);
    }
    expect(likelihood(found.rate * 1.0001, found.decay)).toBeCloseTo(best, 3);
  });

  test("order-flow imbalance is what orders added and took, wherever the price went", () => {
    const one = { price: 100, quantity: 5 };
    const ask = { price: 102, quantity: 4 };
    const steps = [
      { bid: one, ask, flow: 0 },
      { bid: { price: 100, quantity: 7 }, ask, flow: 2 },
      { bid: { price: 101, quantity: 3 }, ask, flow: 3 },
      { bid: { price: 100, quantity: 7 }, ask, flow: -3 },
      { bid: { price: 100, quantity: 7 }, ask: { price: 102, quantity: 1 }, flow: 3 },
      { bid: { price: 100, quantity: 7 }, ask: { price: 103, quantity: 9 }, flow: 1 },
      { bid: { price: 100, quantity: 7 }, ask: { price: 102, quantity: 2 }, flow: -2 },
    ];
    const estimator = orderFlowImbalance({ halfLifeMs: 1e15, minSamples: 1 });
    const state = estimator.start();
    steps.forEach(({ bid, ask: offered }, at) =>
      estimator.update(state, { timeMs: at * 100, bid, ask: offered }),
    );
    const expected = steps.reduce((sum, { flow }) => sum + flow, 0);
    estimator.update(state, { timeMs: 1_000, bid: one, ask: undefined });
    expect(estimator.value(state), "the interval has not ended").toBe(undefined);
    const again = estimator.start();
    steps.forEach(({ bid, ask: offered }, at) =>
      estimator.update(again, { timeMs: at * 100, bid, ask: offered }),
    );
    estimator.update(again, { timeMs: 1_000, bid: one, ask });
    expect(estimator.value(again)).toBe(expected);
  });

  test("sign imbalance and markout", () => {
    const sign = signImbalance({ halfLifeMs: 1e15, minSamples: 1 });
    const signed = sign.start();
    sign.update(signed, [
      { timeMs: 1, isBuyerMaker: false },
      { timeMs: 2, isBuyerMaker: false },
      { timeMs: 3, isBuyerMaker: true },
    ]);
    expect(sign.value(signed)).toBeCloseTo(1 / 3, 12);
    const gain = markout({ halfLifeMs: 1e15, minSamples: 1, horizonMs: 1_000 });
    const state = gain.start();
    const price = new Decimal(100);
    const fills = [
      { side: "BUY" as const, price, timeMs: 0 },
      { side: "SELL" as const, price, timeMs: 500 },
      { side: "BUY" as const, price, timeMs: 600 },
    ];
    gain.update(state, { timeMs: 0, mid: 100, fills });
    gain.update(state, { timeMs: 1_000, mid: 101, fills: [] });
    expect(gain.value(state)).toBeCloseTo(0.01, 12);
    gain.update(state, { timeMs: 1_500, mid: 104, fills: [] });
    expect(gain.value(state)).toBeCloseTo((0.01 - 0.04) / 2, 12);
    // The third has no mid until it is too late for one.
    gain.update(state, { timeMs: 2_600, mid: 200, fills: [] });
    expect(gain.value(state)).toBeCloseTo((0.01 - 0.04) / 2, 12);
    expect(state.pending).toEqual([]);
  });
});

describe("before there are enough samples", () => {
  test("the prior stands in for those that are missing, and has no part afterwards", () => {
    const options = { halfLifeMs: 1e15, minSamples: 4, prior: 10 };
    const mean = ewma(options);
    const state = mean.start();
    const values = [20, 20, 20, 20, 20].map((value) => {
      const before = [mean.value(state), mean.isReady(state)];
      mean.update(state, { timeMs: 0, value });
      return before;
    });
    expect(values).toEqual([
      [10, false],
      [12.5, false],
      [15, false],
      [17.5, false],
      [20, true],
    ]);
    expect(ewma({ ...options, prior: undefined }).value(mean.start())).toBe(undefined);
  });

  test("volatility and intensity are their priors at a cold start", () => {
    const prior = { rate: 0.3, decay: 4_000 };
    const intensity = tradeIntensity({ halfLifeMs, range: [0, 0.01], prior });
    const state = intensity.start();
    expect(intensity.value(state)?.rate).toBeCloseTo(0.3, 9);
    expect(intensity.value(state)?.decay).toBeCloseTo(4_000, 5);
    const faded = volatility({ halfLifeMs: 60_000, prior: 0.002 });
    const realised = realisedVolatility({ samples: 30, prior: 0.002 });
    expect(faded.value(faded.start())).toBeCloseTo(0.002, 12);
    expect(realised.value(realised.start())).toBeCloseTo(0.002, 12);
  });

  test("a market without trades lowers A, and keeps k at the prior", () => {
    const prior = { rate: 0.3, decay: 4_000 };
    const intensity = tradeIntensity({ halfLifeMs: 60_000, range: [0, 0.01], prior });
    const state = intensity.start();
    for (let timeMs = 1; timeMs < 60_000; timeMs += 1_000) {
      intensity.update(state, { timeMs, mid: 100, trades: [] });
    }
    const value = intensity.value(state);
    expect(value?.rate).toBeLessThan(0.2);
    expect(value?.decay).toBeCloseTo(4_000, 5);
  });

  test("orders that do not fall off within the range give the prior", () => {
    const prior = { rate: 0.3, decay: 4_000 };
    const intensity = tradeIntensity({ halfLifeMs: 1e15, range: [0, 0.01], prior });
    const state = intensity.start();
    for (let timeMs = 0; timeMs < 100_000; timeMs += 1_000) {
      const trades = [{ price: 100.9, timeMs, isBuyerMaker: false }];
      intensity.update(state, { timeMs, mid: 100, trades });
    }
    expect(intensity.isReady(state)).toBe(true);
    expect(intensity.value(state)).toEqual(prior);
  });
});

test("what was not watched is not counted: the time of an outage, and the first trades after it", () => {
  const intensity = tradeIntensity({ halfLifeMs: 1e15, range: [0, 0.01] });
  const state = intensity.start();
  const trades = [{ price: 100.1, timeMs: 0, isBuyerMaker: false }];
  intensity.update(state, { timeMs: 0, mid: 100, trades });
  intensity.update(state, { timeMs: 5_000, mid: 100, trades });
  intensity.update(state, { timeMs: 3_600_000, mid: 100, trades });
  expect(state.count).toBeCloseTo(1, 6);
  expect(state.seconds).toBeCloseTo(2 * 5, 6);
});

test("looking more often at a book that does not change changes no estimate of it", () => {
  const flow = orderFlowImbalance({ halfLifeMs });
  const sigma = volatility({ halfLifeMs: 60_000 });
  const once = { flow: flow.start(), sigma: sigma.start() };
  const often = { flow: flow.start(), sigma: sigma.start() };
  for (const touch of touches(new Prng(2))) {
    const price = touch.bid?.price;
    flow.update(once.flow, touch);
    sigma.update(once.sigma, { timeMs: touch.timeMs, price });
    for (let time = 0; time < 3; time += 1) {
      flow.update(often.flow, touch);
      sigma.update(often.sigma, { timeMs: touch.timeMs, price });
    }
  }
  expect(often).toEqual(once);
});

test.each<[string, () => unknown, string]>([
  ["ewma", () => ewma({ halfLifeMs: 0 }), "halfLifeMs is 0, it must be above 0."],
  ["basis", () => basis({ halfLifeMs: Number.NaN }), "halfLifeMs is NaN"],
  ["signImbalance", () => signImbalance({ halfLifeMs: -1 }), "halfLifeMs is -1"],
  ["markout", () => markout({ halfLifeMs: 0, horizonMs: 1 }), "halfLifeMs is 0"],
  ["volatility", () => volatility({ halfLifeMs: 0 }), "halfLifeMs is 0"],
  [
    "volatility",
    () => volatility({ halfLifeMs: 1_000 }),
    "halfLifeMs is 1000, too short: samples every 1000 ms would never weigh minSamples, which is 20.",
  ],
  ["volatility", () => volatility({ halfLifeMs, intervalMs: 0 }), "intervalMs is 0"],
  [
    "realisedVolatility",
    () => realisedVolatility({ samples: 5 }),
    "samples is 5, it must not be below minSamples, which is 20.",
  ],
  [
    "realisedVolatility",
    () => realisedVolatility({ samples: 30, intervalMs: -1 }),
    "intervalMs is -1",
  ],
  ["orderFlowImbalance", () => orderFlowImbalance({ halfLifeMs: 0 }), "halfLifeMs is 0"],
  [
    "orderFlowImbalance",
    () => orderFlowImbalance({ halfLifeMs, intervalMs: 0 }),
    "intervalMs is 0, it must be above 0.",
  ],
  ["tradeIntensity", () => tradeIntensity({ halfLifeMs: 0, range: [0, 1] }), "halfLifeMs is 0"],
  [
    "tradeIntensity",
    () => tradeIntensity({ halfLifeMs, range: [0.01, 0.001] }),
    "range is 0.01 to 0.001, it must be a distance and a larger one.",
  ],
  ["microPrice", () => microPrice({ buckets: 1 }), "buckets is 1, it must be a whole number"],
  ["microPrice", () => microPrice({ spreads: 1.5 }), "spreads is 1.5"],
])("%s refuses options that it cannot be made of, with a TypeError", (_, make, sentence) => {
  expect(make).toThrow(TypeError);
  expect(make).toThrow(sentence);
});

test("the flow over a gap that was not watched is not counted", () => {
  const bid = { price: 100, quantity: 5 };
  const ask = { price: 102, quantity: 4 };
  const flow = orderFlowImbalance({ halfLifeMs: 1e15, minSamples: 1, maxGapMs: 3_000 });
  const at = (gapMs: number) => {
    const state = flow.start();
    flow.update(state, { timeMs: 0, bid, ask });
    flow.update(state, { timeMs: gapMs, bid: { price: 100, quantity: 9 }, ask });
    flow.update(state, { timeMs: gapMs + 1_000, bid: { price: 100, quantity: 9 }, ask });
    return state;
  };
  expect(at(3_000).mean.weight).toBeCloseTo(4, 9);
  expect(flow.value(at(3_000))).toBeCloseTo(1, 9);
  expect(at(3_001).mean.weight).toBeCloseTo(1, 9);
  expect(flow.value(at(3_001))).toBeCloseTo(0, 9);
});

test("an estimator begins anew when its state was kept for another range or another shape", () => {
  const trades = [{ price: 100.1, timeMs: 1_000, isBuyerMaker: false }];
  const narrow = tradeIntensity({ halfLifeMs: 1e15, range: [0, 0.01] });
  const state = narrow.start();
  narrow.update(state, { timeMs: 1, mid: 100, trades: [] });
  narrow.update(state, { timeMs: 1_001, mid: 100, trades });
  expect(state.count).toBe(1);
  for (const range of [
    [0, 0.02],
    [0.0001, 0.02],
  ] as const) {
    const wide = tradeIntensity({ halfLifeMs: 1e15, range });
    wide.update(state, { timeMs: 2_001, mid: 100, trades: [] });
    expect(state).toMatchObject({ count: 0, seconds: 0, range });
    wide.update(state, { timeMs: 3_001, mid: 100, trades });
    expect(state.count).toBe(1);
  }

  const touch = { bid: { price: 100, quantity: 1 }, ask: { price: 101, quantity: 1 }, tick: 1 };
  const coarse = microPrice({ buckets: 2, spreads: 1 });
  const book = coarse.start();
  coarse.update(book, { timeMs: 0, ...touch });
  for (const [buckets, spreads] of [
    [3, 1],
    [3, 2],
  ] as const) {
    microPrice({ buckets, spreads }).update(book, { timeMs: 1, ...touch });
    expect(book.shape).toEqual([buckets, spreads]);
    expect(book.transitions).toEqual(Array.from({ length: (buckets * spreads) ** 2 }, () => 0));
  }
});
