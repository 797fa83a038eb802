import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { Decimal } from "../../src/domain/decimal.ts";
import { glft } from "../../strategies/glft.ts";

test("before rounding, the quotes are eq. 4.6 and 4.7 computed with 40 digits", () => {
  const prng = new Prng(9);
  const Exact = Decimal.clone({ precision: 40 });
  for (let round = 0; round < 500; round += 1) {
    const [mid, inventory] = [100 * prng.exponential(1), 20 * prng.normal()];
    const [sigma, rate, k, gamma, size] = [
      0.01 * prng.exponential(1),
      prng.exponential(1),
      0.01 + prng.exponential(2),
      1e-5 + 0.01 * prng.exponential(1),
      0.01 + prng.exponential(1),
    ];
    const model = { volatility: sigma, rate, decay: k };
    const { bid, ask } = glft({ mid, inventory, size, model }, { riskAversion: gamma });
    const [g, d] = [new Exact(gamma), new Exact(size)];
    const base = g.times(d).div(k).plus(1);
    const power = base.pow(new Exact(k).div(g.times(d)).plus(1));
    const root = g.times(sigma).times(sigma).div(new Exact(2).times(rate).times(k).times(d));
    const c = root.times(power).sqrt();
    const first = base.ln().div(g.times(d));
    const bidDistance = first.plus(
      d
        .plus(2 * inventory)
        .div(2)
        .times(c),
    );
    const askDistance = first.minus(new Exact(2 * inventory).minus(d).div(2).times(c));
    expect(Math.abs(mid - bid - bidDistance.toNumber())).toBeLessThan(
      1e-9 * scaleOf(bidDistance, mid),
    );
    expect(Math.abs(ask - mid - askDistance.toNumber())).toBeLessThan(
      1e-9 * scaleOf(askDistance, mid),
    );
  }
});

function scaleOf(distance: Decimal, mid: number): number {
  return Math.max(1, mid, distance.abs().toNumber());
}

test("is near the exact quotes of the model, far from the end of the session", () => {
  // Guéant, Lehalle and Fernandez-Tapia (2013), theorem 1: v' = M·v with v(T) = 1, here by many small steps back from T.
  const [sigma, rate, k, gamma, most] = [0.3, 0.9, 0.3, 0.01, 30];
  const alpha = (k / 2) * gamma * sigma ** 2;
  const eta = rate * (1 + gamma / k) ** -(1 + k / gamma);
  let v = Array.from({ length: 2 * most + 1 }, () => 1);
  const dt = 0.01;
  for (let step = 0; step < 60_000; step += 1) {
    const grown = v.map((each, at) => {
      const q = at - most;
      const neighbours = (v[at - 1] ?? 0) + (v[at + 1] ?? 0);
      return each + dt * (eta * neighbours - alpha * q * q * each);
    });
    const largest = Math.max(...grown);
    v = grown.map((each) => each / largest);
  }
  const model = { volatility: sigma, rate, decay: k };
  for (const inventory of [-5, -1, 0, 1, 5]) {
    const at = inventory + most;
    const exact = (to: number) =>
      Math.log((v[at] ?? 0) / (v[to] ?? 0)) / k + Math.log1p(gamma / k) / gamma;
    const { bid, ask } = glft({ mid: 100, inventory, size: 1, model }, { riskAversion: gamma });
    expect(100 - bid).toBeCloseTo(exact(at + 1), 1);
    expect(ask - 100).toBeCloseTo(exact(at - 1), 1);
  }
});

test("orders of another size are those of one unit in units of that size", () => {
  const [size, volatility, decay, rate] = [0.25, 2, 1.5, 0.4];
  const settings = { riskAversion: 0.3 };
  const ours = glft({ mid: 100, inventory: 3, size, model: { volatility, decay, rate } }, settings);
  const units = { volatility: volatility * size, decay: decay / size, rate };
  const paper = glft({ mid: 100 * size, inventory: 3 / size, size: 1, model: units }, settings);
  expect(ours.bid * size).toBeCloseTo(paper.bid, 10);
  expect(ours.ask * size).toBeCloseTo(paper.ask, 10);
});
