import { gridRules } from "../domain/grid-rules.ts";
import { sides } from "../domain/side.ts";
import { type Decision, decisionParts } from "../strategy/contract.ts";
import { AttackedMarket } from "./attacked-market.ts";
import {
  firstOf,
  inMarket,
  type Property,
  type Subject,
  text,
  type Judgement,
} from "./conformance-subject.ts";
import { seen } from "./seen-decisions.ts";

/** What must hold of orders in a market that nobody attacks. */

/** A market in which own orders are filled on both sides. */
export async function traded({ definition, options }: Subject): Promise<AttackedMarket> {
  const market = await AttackedMarket.open(definition, options);
  play(market);
  return market;
}

export function play(market: AttackedMarket): void {
  market.calm();
  for (let at = 0; at < 10; at += 1) {
    for (const side of sides) market.fillOwn(side);
    market.calm(20);
  }
}

/** Where nothing moves and no quote is filled, what was taken is not taken back: it costs the spread and both fees. */
async function takenOnce({ definition, options }: Subject): Promise<Judgement> {
  const market = await AttackedMarket.open(definition, options);
  market.calm();
  if (market.markets.some(([, own]) => own.fills.length > own.takeFills.length)) return undefined;
  return firstOf(market.markets, ([role, { takeFills }]) => {
    const [bought, sold] = sides.map((side) =>
      takeFills.filter((one) => one.side === side).reduce((sum, { quantity }) => sum + quantity, 0),
    );
    const back = Math.min(bought ?? 0, sold ?? 0);
    return back > 0 ? `it took ${text(back)}${inMarket(role)} and took it back` : undefined;
  });
}

/** Two own quotes of a decision that rest at one price. */
function twoAtOnePrice(decision: Decision): string | undefined {
  for (const [, each] of decisionParts(decision)) {
    if (each.type !== "set") continue;
    for (const [side, quotes, round] of [
      ["BUY", each.bids, gridRules.roundDown],
      ["SELL", each.asks, gridRules.roundUp],
    ] as const) {
      const prices = quotes
        .filter(({ order, place = true, size }) => order === undefined && place && Number(size) > 0)
        .map(({ price }) => round(price));
      const twice = prices.find((price, at) => prices.indexOf(price) !== at);
      if (twice !== undefined) return `two quotes of ${side} at ${twice}`;
    }
  }
  return undefined;
}

async function quoting(subject: Subject): Promise<Judgement> {
  const { trial } = await traded(subject);
  return Object.values(trial.markets).some(({ fills }) => fills.length > 0)
    ? undefined
    : "it placed no order that could be filled, so that nothing else is shown";
}

async function withinLimits({ definition, options }: Subject): Promise<Judgement> {
  const market = await AttackedMarket.open(definition, options);
  market.step();
  // Before the first book no limit of prices can be measured.
  const before = new Map(market.trial.denied.map(({ rule, count }) => [rule, count]));
  play(market);
  const denied = market.trial.denied.find(({ rule, count }) => count > (before.get(rule) ?? 0));
  return denied && `${denied.rule} denied orders in a calm market, first ${denied.first}`;
}

async function distinct(subject: Subject): Promise<Judgement> {
  let problem: string | undefined;
  const definition = seen(subject.definition, (decision) => {
    problem ??= twoAtOnePrice(decision);
  });
  await traded({ ...subject, definition });
  return problem;
}

export const orderProperties: Readonly<Record<string, Property>> = {
  "trades in a calm market": quoting,
  "never has two quotes at one price": distinct,
  "takes nothing back and forth": takenOnce,
  "stays within its limits": withinLimits,
};
