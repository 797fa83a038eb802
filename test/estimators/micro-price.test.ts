import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { microPrice, type MicroPriceSample } from "../../src/estimators/index.ts";

const buckets = 4;
/** By state, spread first: the chance of each next state, with the move of the mid in ticks. */
interface Step {
  readonly to: number;
  readonly move: number;
  readonly chance: number;
}

/** At a spread of 1 a side gives way, at 2 a side comes nearer, more likely upwards the more is bid; then any imbalance may follow. */
function stepsFrom(at: number): readonly Step[] {
  const bucket = at % buckets;
  const spread = at < buckets ? 1 : 2;
  const bid = (bucket + 0.5) / buckets;
  const other = spread === 1 ? buckets : 0;
  const chance = spread === 1 ? 0.1 : 0.5;
  const steps: Step[] = [];
  for (let to = 0; to < buckets; to += 1) {
    // The imbalance lasts: more is bid after a move up.
    const tilt = (2 * to + 1) / buckets / buckets;
    steps.push({ to: other + to, move: 0.5, chance: chance * bid * tilt });
    steps.push({ to: other + buckets - 1 - to, move: -0.5, chance: chance * (1 - bid) * tilt });
  }
  for (const next of [bucket - 1, bucket + 1]) {
    const to = at - bucket + Math.min(buckets - 1, Math.max(0, next));
    steps.push({ to, move: 0, chance: (1 - chance) / 2 });
  }
  return steps;
}

const chain = Array.from({ length: 2 * buckets }, (_, at) => stepsFrom(at));

/** The paper's own way: G* = Σ Bⁱ G¹ with G¹ = Σ Qⁿ R¹K and B = Σ Qⁿ R², by adding up. */
function paperAdjustments(): number[] {
  const added = (start: readonly number[]): number[] => {
    let [sum, term] = [[...start], [...start]];
    for (let step = 0; step < 3_000; step += 1) {
      const before = term;
      term = chain.map((steps) =>
        steps.reduce(
          (left, { to, move, chance }) => left + (move === 0 ? chance * (before[to] ?? 0) : 0),
          0,
        ),
      );
      sum = sum.map((value, at) => value + (term[at] ?? 0));
    }
    return sum;
  };
  const first = added(
    chain.map((steps) => steps.reduce((sum, { move, chance }) => sum + chance * move, 0)),
  );
  let [sum, term] = [[...first], [...first]];
  for (let step = 0; step < 200; step += 1) {
    const before = term;
    term = added(
      chain.map((steps) =>
        steps.reduce(
          (left, { to, move, chance }) => left + (move === 0 ? 0 : chance * (before[to] ?? 0)),
          0,
        ),
      ),
    );
    sum = sum.map((value, at) => value + (term[at] ?? 0));
  }
  return sum;
}

/** Touches of a walk through the chain, at a tick of 0.5. */
function* walk(prng: Prng, steps: number): Generator<MicroPriceSample & { readonly at: number }> {
  let [at, mid] = [0, 100.25];
  for (let timeMs = 0; timeMs < steps; timeMs += 1) {
    const half = at < buckets ? 0.25 : 0.5;
    const bid = { price: mid - half, quantity: ((at % buckets) + 0.5) / buckets };
    yield { at, timeMs, tick: 0.5, bid, ask: { price: mid + half, quantity: 1 - bid.quantity } };
    let draw = prng.unit();
    const next = chain[at]?.find(({ chance }) => (draw -= chance) < 0);
    if (next === undefined) continue;
    at = next.to;
    mid += next.move * 0.5;
  }
}

test("the micro-price of a known chain is the paper's sum", () => {
  const expected = paperAdjustments();
  const estimator = microPrice({ buckets });
  const state = estimator.start();
  for (const sample of walk(new Prng(4), 150_000)) estimator.update(state, sample);
  expect(state.adjustments).toHaveLength(2 * buckets);
  expected.forEach((value, at) =>
    expect(Math.abs((state.adjustments[at] ?? 0) - value)).toBeLessThan(0.015),
  );
  // It is not the mid: with most of the quantity bid, the price goes up by an eighth of a tick.
  expect(expected[buckets - 1]).toBeGreaterThan(0.1);
});

test("the mid is where the micro-price said, on average and much later", () => {
  const samples = [...walk(new Prng(6), 150_000)];
  const estimator = microPrice({ buckets });
  const state = estimator.start();
  const errors = Array.from({ length: 2 * buckets }, (): number[] => []);
  samples.forEach((sample, index) => {
    estimator.update(state, sample);
    const later = samples[index + 300];
    const value = estimator.value(state);
    if (index < 50_000 || index % 10 > 0 || value === undefined || later === undefined) return;
    const mid = ((later.bid?.price ?? 0) + (later.ask?.price ?? 0)) / 2;
    errors[sample.at]?.push(mid - value);
  });
  for (const each of errors) {
    const mean = each.reduce((sum, error) => sum + error, 0) / each.length;
    const squares = each.reduce((sum, error) => sum + (error - mean) ** 2, 0);
    expect(Math.abs(mean)).toBeLessThan((4 * Math.sqrt(squares)) / each.length);
  }
});

test("has no value before there are moves of the mid, and none of a book with an empty side", () => {
  const estimator = microPrice({ buckets, minSamples: 5 });
  const state = estimator.start();
  for (const sample of walk(new Prng(1), 10)) estimator.update(state, sample);
  expect(estimator.isReady(state)).toBe(false);
  expect(estimator.value(state)).toBe(undefined);
  for (const sample of walk(new Prng(1), 500)) estimator.update(state, sample);
  expect(estimator.isReady(state)).toBe(true);
  const quote = { price: 100, quantity: 1 };
  estimator.update(state, { timeMs: 501, tick: 0.5, bid: quote, ask: undefined });
  expect(estimator.value(state)).toBe(undefined);
  const even = { timeMs: 502, tick: 0.5, bid: quote, ask: { price: 100.5, quantity: 1 } };
  const odd = microPrice({ buckets: 3, minSamples: 5 });
  const fitted = odd.start();
  for (const sample of walk(new Prng(1), 500)) odd.update(fitted, sample);
  odd.update(fitted, even);
  expect(odd.value(fitted), "a balanced book has its mid").toBe(100.25);
});

test("a restart after each sample changes no digit", () => {
  const estimator = microPrice({ buckets, minSamples: 5 });
  const whole = estimator.start();
  let restarted = estimator.start();
  for (const sample of walk(new Prng(2), 2_000)) {
    estimator.update(whole, sample);
    estimator.update(restarted, sample);
    restarted = JSON.parse(JSON.stringify(restarted)) as typeof restarted;
    expect(estimator.value(restarted)).toBe(estimator.value(whole));
  }
  expect(estimator.isReady(whole)).toBe(true);
});
