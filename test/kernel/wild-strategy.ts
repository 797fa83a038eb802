import type { Prng } from "../../src/base/prng.ts";
import { Decimal } from "../../src/domain/decimal.ts";
import { keepQuotes, setQuotes, type Decision } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { plainly } from "./plainly.ts";

/** A decision as a sane strategy makes it, with brackets, stop orders, drops and all options. */
export function saneDecision(prng: Prng, view: MarketView): Decision {
  const mid = view.book.mid ?? 2000;
  if (prng.chance(0.3)) return keepQuotes({ wakeAtMs: view.nowMs + 50 });
  const quote = (side: 1 | -1, level: number) => {
    const exits = { takeProfit: mid - side * 20, stopLoss: mid + side * 30 };
    return {
      price: mid + side * (1 + level + prng.unit() * 3),
      size: prng.pick(["0.5", "1", "1.5"]),
      ...(prng.chance(0.3) ? { tpsl: exits } : {}),
    };
  };
  const stop = {
    name: prng.pick(["a", "b"]),
    side: prng.pick(["BUY", "SELL"] as const),
    size: "1",
    stopPrice: mid * prng.pick([0.97, 1.03]),
  };
  return setQuotes({
    bids: Array.from({ length: prng.int(0, 2) }, (_, level) => quote(-1, level)),
    asks: Array.from({ length: prng.int(0, 2) }, (_, level) => quote(1, level)),
    stops: prng.chance(0.4) ? [stop] : [],
    tolerance: prng.pick([0, 0.0005]),
    sizeTolerance: prng.pick([0, 0.3]),
    drop: view.orders.filter(() => prng.chance(0.1)).map(({ id }) => id),
    wakeAtMs: view.nowMs + prng.int(1, 400),
  });
}

const throwing = (): never => {
  throw new Error("a trap");
};

/** Values that no contract expects, and odd ones that it allows. */
const oddValues: readonly (() => unknown)[] = [
  () => Number.NaN,
  () => Infinity,
  () => -Infinity,
  () => -1,
  () => 0,
  () => -0,
  () => 5e-324,
  () => 1e-9,
  () => 1e15 + 0.5,
  () => 9.99e20,
  () => 1e21,
  () => 1e45,
  () => 1e300,
  () => 2 ** 53,
  () => 12n,
  () => "",
  () => "abc",
  () => "-1",
  () => "1e-7",
  () => "8.333333333333333e-7",
  () => "999999999999999999999.999999999999999999",
  () => "0.00083333333333333333333333333333333",
  () => `1${"0".repeat(400)}`,
  () => new Decimal("1e9999999"),
  () => new Decimal("1e-9999999"),
  () => new Decimal(1).div(3),
  () => new Decimal(Number.NaN),
  () => new Decimal(-3),
  () => null,
  () => undefined,
  () => true,
  () => Symbol("odd"),
  () => throwing,
  () => [],
  () => [null],
  () => Array.from({ length: 3 }),
  () => Array.from({ length: 600 }, () => ({ price: 1990, size: "1" })),
  () => ({}),
  () => Object.create(null),
  () => new Map([["price", 1]]),
  () => new Date(0),
  () => Promise.resolve(1),
  () => new Proxy({}, { get: throwing, ownKeys: throwing, has: throwing }),
  () => new Proxy([], { get: throwing }),
  () => ({ valueOf: throwing, toString: throwing }),
  () => Object.defineProperty({}, "price", { get: throwing, enumerable: true }),
];

/** A sane decision with one value replaced by an odd one, at any depth; or an odd value instead of it; or a throw. */
export function wildDecision(prng: Prng, view: MarketView): Decision {
  const oddValue = (): unknown => prng.pick(oddValues)();
  const draw = prng.unit();
  if (draw < 0.03) throw oddValue();
  if (draw < 0.06) return plainly(oddValue());
  const decision: object = { ...saneDecision(prng, view) };
  let owner: object = decision;
  for (;;) {
    const names = Reflect.ownKeys(owner).filter((name) => name !== "length");
    if (names.length === 0) return plainly(decision);
    const name = prng.pick(names);
    const inner: unknown = Reflect.get(owner, name);
    if (typeof inner === "object" && inner !== null && prng.chance(0.85)) {
      owner = inner;
      continue;
    }
    Reflect.set(owner, name, oddValue());
    return plainly(decision);
  }
}
