import { type Side, sides } from "../domain/side.ts";
import { AttackedMarket } from "./attacked-market.ts";
import { attacks, type Books, mirrored } from "./attacks.ts";
import {
  type AttackLoss,
  inMarket,
  type Property,
  rolesOf,
  type Subject,
  text,
  type Judgement,
} from "./conformance-subject.ts";

/** What must hold while somebody shows books that nobody should believe. */

/** Steps after the sale into the own quote. */
const AFTER_SALE = 10;

/**
 * What a unit loses at worst, in quotes and their fills, while each of the markets is attacked and another account then sells into the
 * own quote. Takes trade at the prices that there are, up to the worst price that the strategy gave.
 */
async function attacked(subject: Subject, kind: keyof typeof attacks): Promise<Judgement> {
  const limit: Limit = (halfSpread) => halfSpread + subject.maxLoss;
  let worst: AttackLoss | undefined;
  for (const role of rolesOf(subject.definition)) {
    for (const attack of attacks[kind]) {
      for (const isMirrored of [false, true]) {
        const market = await AttackedMarket.open(subject.definition, subject.options, role);
        market.calm();
        const losses = lossesOf(market, limit);
        const ask = (): number | undefined => {
          const best = market.ownBest(isMirrored ? "BUY" : "SELL");
          return best === undefined || !isMirrored ? best : 200 - best;
        };
        let books: Books = {};
        for (const shown of attack(ask)) {
          books = isMirrored ? mirrored(shown) : shown;
          market.step(books);
        }
        market.fillOwn(isMirrored ? "SELL" : "BUY", books);
        for (let at = 0; at < AFTER_SALE; at += 1) market.step(books);
        const problem = losses.problem();
        if (problem !== undefined) return problem;
        worst = worse(worst, losses.worst(), limit);
      }
    }
  }
  return worst && { attack: worst };
}

interface Loss extends AttackLoss {
  readonly role: string;
  readonly side: Side;
}

/** What a unit with a half spread may lose. */
type Limit = (halfSpread: number) => number;

/** The one that is farther beyond its limit. */
function worse<Each extends AttackLoss>(
  one: Each | undefined,
  other: Each | undefined,
  limit: Limit,
): Each | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const beyond = ({ loss, halfSpread }: AttackLoss): number => loss - limit(halfSpread);
  return beyond(other) > beyond(one) ? other : one;
}

/** Watches the strategy's quotes and fills; `again` starts over. Half spreads are taken when this is called. */
export function lossesOf(market: AttackedMarket, limit: Limit) {
  const halfSpreads = new Map(
    market.markets.flatMap(([role]) =>
      sides.map((side) => {
        const best = market.ownBest(side, role) ?? 100;
        return [`${role} ${side}`, Math.abs(best - 100) / 100] as const;
      }),
    ),
  );
  let worst: Loss | undefined;
  market.watch((role, side, at) => {
    const loss = (side === "BUY" ? at - 100 : 100 - at) / 100;
    const halfSpread = halfSpreads.get(`${role} ${side}`) ?? 0;
    worst = worse(worst, { role, side, loss, halfSpread }, limit);
  });
  return {
    worst: (): AttackLoss | undefined =>
      worst && { loss: worst.loss, halfSpread: worst.halfSpread },
    again() {
      worst = undefined;
    },
    problem(): string | undefined {
      if (worst === undefined || worst.loss <= limit(worst.halfSpread)) return undefined;
      const { role, side, loss, halfSpread } = worst;
      const priceOf = (lost: number) => text(side === "BUY" ? 100 + lost * 100 : 100 - lost * 100);
      return `a ${side}${inMarket(role)} at ${priceOf(loss)} where 100 is fair and ${priceOf(limit(halfSpread))} the limit`;
    },
  };
}

export const attackProperties: Readonly<Record<string, Property>> = {
  "withstands dust": (subject) => attacked(subject, "dust"),
  "withstands a gap": (subject) => attacked(subject, "gap"),
  "withstands a walk": (subject) => attacked(subject, "walk"),
};
