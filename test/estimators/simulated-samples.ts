import { Prng } from "../../src/base/prng.ts";
import { Decimal } from "../../src/domain/decimal.ts";
import type { Estimator } from "../../src/estimators/estimator.ts";
import {
  basis,
  ewma,
  markout,
  orderFlowImbalance,
  realisedVolatility,
  signImbalance,
  tradeIntensity,
  type TouchSample,
  volatility,
} from "../../src/estimators/index.ts";

/** An estimator with samples whose parameters are known. */
export interface Recovery {
  readonly samples: string;
  readonly truths: readonly { readonly name: string; readonly truth: number }[];
  /** Value and standard error of each parameter after all samples; `between` may replace the state after each of them. */
  run(seed: number, between?: Between): readonly (readonly [number, number])[];
}

export type Between = <State>(state: State) => State;

function played<Sample, State, Value>(
  estimator: Estimator<Sample, State, Value>,
  samples: Iterable<Sample>,
  between: Between = (state) => state,
): readonly [Value | undefined, Value | undefined] {
  let state = estimator.start();
  for (const sample of samples) {
    estimator.update(state, sample);
    state = between(state);
  }
  return [estimator.value(state), estimator.standardError(state)];
}

function recovery<Sample, State>(
  name: string,
  samples: string,
  truth: number,
  estimator: Estimator<Sample, State>,
  simulated: (prng: Prng) => Iterable<Sample>,
): Recovery {
  return {
    samples,
    truths: [{ name, truth }],
    run(seed, between) {
      const prng = new Prng(seed);
      const [value = Number.NaN, error = Number.NaN] = played(estimator, simulated(prng), between);
      return [[value, error]];
    },
  };
}

const halfLifeMs = 600_000;
const endMs = 1_800_000;

/** Times of a Poisson process over half an hour. */
function* arrivals(prng: Prng, meanMs: number): Generator<number> {
  for (let timeMs = prng.exponential(meanMs); timeMs < endMs; timeMs += prng.exponential(meanMs)) {
    yield timeMs;
  }
}

function* noisy(prng: Prng, mean: number) {
  for (const timeMs of arrivals(prng, 1_000)) yield { timeMs, value: mean + prng.normal() };
}

function* pairs(prng: Prng) {
  let source = 100;
  for (const timeMs of arrivals(prng, 1_000)) {
    source += 0.01 * prng.normal();
    yield { timeMs, source, local: source + 0.05 + 0.02 * prng.normal() };
  }
}

function* walk(prng: Prng, ofSecond: number) {
  let [price, lastMs] = [100, 0];
  for (const timeMs of arrivals(prng, 300)) {
    price *= Math.exp(ofSecond * Math.sqrt((timeMs - lastMs) / 1_000) * prng.normal());
    lastMs = timeMs;
    yield { timeMs, price };
  }
}

const rate = 0.5;
const decay = 5_000;
const range = [0.0001, 0.001] as const;

/** Market orders on both sides of a mid that walks; a large one is several trades of one time. */
function* marketOrders(prng: Prng) {
  let mid = 100;
  yield { timeMs: 0, mid, trades: [] };
  let nextMs = prng.exponential(1_000 / (2 * rate));
  for (let timeMs = 500; timeMs <= endMs; timeMs += 500) {
    const trades = [];
    for (; nextMs <= timeMs; nextMs += prng.exponential(1_000 / (2 * rate))) {
      const isBuyerMaker = prng.chance(0.5);
      const reach = mid * prng.exponential(1 / decay);
      const sign = isBuyerMaker ? -1 : 1;
      for (const part of [0.3, 1]) {
        trades.push({ price: mid + sign * part * reach, timeMs: nextMs, isBuyerMaker });
      }
    }
    mid *= 1 + 0.0001 * prng.normal();
    yield { timeMs, mid, trades };
  }
}

function intensity(side?: "BUY"): Recovery {
  const estimator = tradeIntensity({ halfLifeMs: 3 * halfLifeMs, range, side });
  const name = `\`tradeIntensity\`, ${side === undefined ? "both sides" : "one side"}`;
  return {
    samples: "market orders, half-life 30 m, fitted from 0.01% to 0.1%",
    truths: [
      { name: `${name}: A`, truth: rate },
      { name: `${name}: k`, truth: decay },
    ],
    run(seed, between) {
      const [value, error] = played(estimator, marketOrders(new Prng(seed)), between);
      return (["rate", "decay"] as const).map((of) => [
        value?.[of] ?? Number.NaN,
        error?.[of] ?? Number.NaN,
      ]);
    },
  };
}

interface Level {
  readonly price: number;
  readonly quantity: number;
}

/** Orders of 1, five a second: 30% to the best bid, 20% off it, 20% to the best ask, 30% off it. Some move the price. */
export function* touches(prng: Prng): Generator<TouchSample> {
  let bid = { price: 100, quantity: 5 };
  let ask = { price: 110, quantity: 5 };
  for (const timeMs of arrivals(prng, 200)) {
    const kind = prng.unit();
    const isInside = ask.price - bid.price > 1 && prng.chance(0.2);
    if (kind < 0.3) bid = grown(bid, isInside, 1);
    else if (kind < 0.5) bid = shrunk(bid, -1);
    else if (kind < 0.7) ask = grown(ask, isInside, -1);
    else ask = shrunk(ask, 1);
    yield { timeMs, bid, ask };
  }
}

function grown({ price, quantity }: Level, isInside: boolean, inwards: number): Level {
  return isInside ? { price: price + inwards, quantity: 1 } : { price, quantity: quantity + 1 };
}

function shrunk({ price, quantity }: Level, outwards: number): Level {
  return quantity > 1
    ? { price, quantity: quantity - 1 }
    : { price: price + outwards, quantity: 5 };
}

function* signs(prng: Prng) {
  for (const timeMs of arrivals(prng, 2_000)) yield [{ timeMs, isBuyerMaker: prng.chance(0.4) }];
}

function* fills(prng: Prng) {
  for (let timeMs = 0; timeMs < endMs; timeMs += 5_000) {
    const side = prng.chance(0.5) ? ("BUY" as const) : ("SELL" as const);
    const gain = -0.0002 + 0.001 * prng.normal();
    yield { timeMs, mid: 100, fills: [{ side, price: new Decimal(100), timeMs }] };
    const mid = 100 * (1 + (side === "BUY" ? gain : -gain));
    yield { timeMs: timeMs + 1_000, mid, fills: [] };
  }
}

export const recoveries: readonly Recovery[] = [
  recovery("`ewma`", "noise around 5, half-life 10 m", 5, ewma({ halfLifeMs }), (prng) =>
    noisy(prng, 5),
  ),
  recovery(
    "`basis`",
    "a local price 0.05 above a walking source, half-life 10 m",
    0.05,
    basis({ halfLifeMs }),
    pairs,
  ),
  recovery(
    "`volatility`",
    "irregular prices of a walk, half-life 10 m",
    0.0001,
    volatility({ halfLifeMs }),
    (prng) => walk(prng, 0.0001),
  ),
  recovery(
    "`realisedVolatility`",
    "the same, the newest 300 intervals",
    0.0001,
    realisedVolatility({ samples: 300 }),
    (prng) => walk(prng, 0.0001),
  ),
  intensity(),
  intensity("BUY"),
  recovery(
    "`orderFlowImbalance`",
    "five orders of 1 a second that add 1 a second, half-life 10 m",
    1,
    orderFlowImbalance({ halfLifeMs }),
    touches,
  ),
  recovery(
    "`signImbalance`",
    "60% of the takers buy, half-life 10 m",
    0.2,
    signImbalance({ halfLifeMs }),
    signs,
  ),
  recovery(
    "`markout`",
    "fills that lose 0.02% on average, half-life 30 m",
    -0.0002,
    markout({ halfLifeMs: 3 * halfLifeMs, horizonMs: 1_000 }),
    fills,
  ),
];
