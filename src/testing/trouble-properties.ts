import { sides } from "../domain/side.ts";
import { parseDurationMs } from "../domain/setting.ts";
import { AttackedMarket, STEP_MS } from "./attacked-market.ts";
import { oddBooks } from "./attacks.ts";
import {
  inMarket,
  type Property,
  rolesOf,
  type Subject,
  type Judgement,
} from "./conformance-subject.ts";
import { lossesOf } from "./attack-properties.ts";

/** What must hold while a market or a source is in trouble, and after it. */

/** Nothing fails in odd books of one of the markets, quotes stay within the bounds, and the strategy is back when the book is. */
async function odd(subject: Subject, kind: keyof typeof oddBooks): Promise<Judgement> {
  for (const role of rolesOf(subject.definition)) {
    for (const books of oddBooks[kind]) {
      const market = await AttackedMarket.open(subject.definition, subject.options, role);
      market.step(books);
      // A market whose book stays crossed is left until an operator resumes, whatever the strategy does.
      const problem = troubled(market, subject.maxLoss, {
        steps: kind === "crossed" ? 5 : STEPS,
        step: () => market.step(books),
      });
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** What happens in a script, by default for ten seconds. */
interface Trouble {
  readonly begin?: () => void;
  readonly step: () => void;
  readonly steps?: number;
  readonly end?: () => void;
}
const STEPS = 50;

/** A calm minute, some trouble, and a calm minute, after which the strategy quotes what it quoted before. */
function troubled(market: AttackedMarket, maxLoss: number, trouble: Trouble): string | undefined {
  market.calm();
  const quoted = quotedIn(market);
  const fills = market.trial.fills.length;
  const losses = lossesOf(market, (halfSpread) => halfSpread + maxLoss);
  trouble.begin?.();
  for (let at = 0; at < (trouble.steps ?? STEPS); at += 1) {
    market.feed();
    trouble.step();
    const problem = losses.problem();
    if (problem !== undefined) return problem;
  }
  trouble.end?.();
  if (market.trial.fills.length > fills) return undefined;
  market.calm();
  const now = quotedIn(market);
  const missing = quoted.filter((one) => !now.includes(one));
  return missing.length > 0
    ? `no ${missing.join(" and ")} a minute after the book is back`
    : undefined;
}

function quotedIn(market: AttackedMarket): readonly string[] {
  return market.markets.flatMap(([role]) =>
    sides
      .filter((side) => market.ownBest(side, role) !== undefined)
      .map((side) => `${side}${inMarket(role)}`),
  );
}

/** The bot does not know the book of one of several markets: the strategy is called on, for the others. */
async function lost({ definition, options, maxLoss }: Subject): Promise<Judgement> {
  const roles = rolesOf(definition);
  if (roles.length === 1) return { skipped: "it trades in one market" };
  for (const role of roles) {
    const market = await AttackedMarket.open(definition, options, role);
    market.step();
    const problem = troubled(market, maxLoss, {
      begin: () => void market.attacked.lose(),
      step: () => market.step(),
      end: () => void market.attacked.regain(),
    });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The sources end, and then everybody's price moves, less than the book is wide: quotes keep at least half of their distance to it. */
async function stale({ definition, options }: Subject): Promise<Judgement> {
  const sources = Object.values(options.sources ?? {});
  if (sources.length === 0) return { skipped: "it names no sources" };
  const ages = sources.map(({ maxAge }) => parseDurationMs(maxAge ?? "") ?? 0);
  for (const factor of [1.015, 0.985]) {
    const market = await AttackedMarket.open(definition, options);
    market.calm();
    const losses = lossesOf(market, (halfSpread) => -halfSpread / 2);
    market.endSources();
    market.calm(STEPS + Math.ceil(Math.max(...ages) / STEP_MS));
    market.move(factor);
    market.calm();
    losses.again();
    market.calm(STEPS);
    const problem = losses.problem();
    if (problem !== undefined)
      return `${problem}, a minute after its sources have ended and prices moved`;
  }
  return undefined;
}

export const troubleProperties: Readonly<Record<string, Property>> = {
  "survives a thin book": (subject) => odd(subject, "thin"),
  "survives a crossed book": (subject) => odd(subject, "crossed"),
  "survives a one-sided book": (subject) => odd(subject, "one-sided"),
  "survives an empty book": (subject) => odd(subject, "empty"),
  "survives the loss of a market": lost,
  "survives stale sources": stale,
};
