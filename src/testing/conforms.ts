import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { parseDurationMs, parseShare } from "../domain/setting.ts";
import { gridRules } from "../domain/grid-rules.ts";
import { OWN_MARKET } from "../domain/market-roles.ts";
import { type Side, sides } from "../domain/side.ts";
import { systemClock } from "../platform/clock.ts";
import { type Decision, decisionParts, type StrategyDefinition } from "../strategy/contract.ts";
import { AttackedMarket, type AttackOptions, type ConformanceMarket } from "./attacked-market.ts";
import { attacks, mirrored, oddBooks } from "./attacks.ts";
import { type TrialOptions, trialSetup } from "./setup.ts";

/**
 * Judges any strategy in scripted markets, with the simulated venue of `tryStrategy`. Each property plays markets of its own
 * (attacked-market.ts with the books of attacks.ts) and returns what is wrong in one sentence. What must hold always is watched in every
 * decision of every script.
 */

export interface ConformanceOptions<Params = unknown> extends TrialOptions<Params> {
  readonly market?: ConformanceMarket;
  /** What a unit may lose in an attack beyond the strategy's own half spread, as a share of the price; default `"0.6%"`. */
  readonly maxLoss?: string;
  /** The longest time of a decision with its part of the venue, in the median; default `"50ms"`. */
  readonly maxDecide?: string;
}

export interface ConformanceResult {
  readonly property: string;
  readonly ok: boolean;
  /** What is wrong, or why the property does not apply. */
  readonly detail?: string;
}

export interface Conformance {
  readonly strategy: string;
  readonly results: readonly ConformanceResult[];
  /** A sentence for each property that does not hold, beginning with its name. */
  readonly failed: readonly string[];
}

interface Subject {
  readonly definition: StrategyDefinition;
  readonly options: AttackOptions;
  /** On a price of 100. */
  readonly maxLoss: number;
  readonly maxDecideMs: number;
}

/** What is wrong; undefined when the property holds. */
type Verdict = string | { readonly skipped: string } | undefined;

const isBeyond = (side: Side, price: number, limit: number): boolean =>
  side === "BUY" ? price > limit : price < limit;

/**
 * How far quotes and their fills, as in a market at 100, may be on the wrong side of 100 while one of the markets is attacked: the half
 * spread before, and `maxLoss`. Takes trade at the prices that there are, up to the worst price that the strategy gave.
 */
async function attacked(
  { definition, options, maxLoss }: Subject,
  kind: keyof typeof attacks,
): Promise<Verdict> {
  for (const role of rolesOf(definition)) {
    for (const [attack, isMirrored] of attacks[kind].flatMap(
      (one) =>
        [
          [one, false],
          [one, true],
        ] as const,
    )) {
      const market = await AttackedMarket.open(definition, options, role);
      market.calm();
      const bound = boundsOf(market, maxLoss);
      const ask = (): number | undefined => {
        const best = market.ownBest(isMirrored ? "BUY" : "SELL");
        return best === undefined || !isMirrored ? best : 200 - best;
      };
      for (const books of attack(ask)) {
        market.step(isMirrored ? mirrored(books) : books);
        const problem = bound();
        if (problem !== undefined) return problem;
      }
    }
  }
  return undefined;
}

function rolesOf({ markets = [OWN_MARKET] }: StrategyDefinition): readonly string[] {
  return markets;
}

/** Looks at own quotes and their new fills from now on. */
function boundsOf(market: AttackedMarket, maxLoss: number): () => string | undefined {
  const looks = market.markets.map(([role, own]) => {
    const limits = new Map(
      sides.map((side) => {
        const halfSpread = Math.abs((market.ownBest(side, role) ?? 100) - 100);
        return [side, side === "BUY" ? 100 + halfSpread + maxLoss : 100 - halfSpread - maxLoss];
      }),
    );
    const before = own.fills.length;
    return () => {
      const fills = own.fills.slice(before).filter((fill) => !own.takeFills.includes(fill));
      for (const { side, price } of [...own.quotes, ...fills]) {
        const at = (price / market.price(role)) * 100;
        const limit = limits.get(side) ?? 100;
        if (isBeyond(side, at, limit)) {
          return `a ${side}${inMarket(role)} at ${text(at)} where 100 is fair and ${text(limit)} the limit`;
        }
      }
      return undefined;
    };
  });
  return () => firstOf(looks, (look) => look());
}

/** The first result that is not undefined. */
function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const inMarket = (role: string): string => (role === OWN_MARKET ? "" : ` in ${role}`);

const text = (price: number): string => String(Number(price.toPrecision(6)));

/** Nothing fails in odd books of one of the markets, quotes stay within the bounds, and the strategy is back when the book is. */
async function odd(subject: Subject, kind: keyof typeof oddBooks): Promise<Verdict> {
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
  const bound = boundsOf(market, maxLoss);
  trouble.begin?.();
  for (let at = 0; at < (trouble.steps ?? STEPS); at += 1) {
    market.feed();
    trouble.step();
    const problem = bound();
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
async function lost({ definition, options, maxLoss }: Subject): Promise<Verdict> {
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

/** Where nothing moves and no quote is filled, what was taken is not taken back: it costs the spread and both fees. */
async function takenOnce({ definition, options }: Subject): Promise<Verdict> {
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

/** A market in which own orders are filled on both sides. */
async function traded({ definition, options }: Subject): Promise<AttackedMarket> {
  const market = await AttackedMarket.open(definition, options);
  play(market);
  return market;
}

function play(market: AttackedMarket): void {
  market.calm();
  for (let at = 0; at < 10; at += 1) {
    for (const side of sides) market.fillOwn(side);
    market.calm(20);
  }
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

/** The definition, and a look at each decision with its state. */
function seen(
  definition: StrategyDefinition,
  look: (decision: Decision, state: unknown) => void,
): StrategyDefinition {
  return {
    ...definition,
    decide(input) {
      const decision = definition.decide(input);
      look(decision, input.state);
      return decision;
    },
  };
}

async function stale({ definition, options }: Subject): Promise<Verdict> {
  if (Object.keys(options.sources ?? {}).length === 0) return { skipped: "it names no sources" };
  const market = await AttackedMarket.open(definition, options);
  market.step();
  market.calm(50);
  for (let at = 0; at < 300; at += 1) market.step();
  const left = Object.values(options.sources ?? {}).every(({ whenOld }) => whenOld !== "widen");
  return left && market.trial.orders.length > 0
    ? "it quotes a minute after its sources have ended"
    : undefined;
}

async function kept(subject: Subject): Promise<Verdict> {
  const { definition } = subject;
  const { state: keeping } = definition;
  if (keeping === undefined) return { skipped: "it keeps no state" };
  let state: unknown;
  const watched = seen(definition, (_, now) => {
    state = now;
  });
  await traded({ ...subject, definition: watched });
  const saved = keeping.save(state);
  const written: unknown = JSON.parse(JSON.stringify(saved) ?? "null");
  if (!isDeepStrictEqual(written, saved)) return "what it saves is no plain data for JSON";
  if (!isDeepStrictEqual(keeping.save(state), saved)) return "saving it changes it";
  const restored = (input: Parameters<StrategyDefinition["init"]>[0]): unknown =>
    keeping.load(structuredClone(written), keeping.version, definition.init(input));
  const params = definition.params.parse(subject.options.params ?? {});
  if (!isDeepStrictEqual(keeping.save(restored({ params, seed: 1 })), saved)) {
    return "what it saves after a load is not what was saved before";
  }
  await traded({ ...subject, definition: { ...definition, init: restored } });
  return undefined;
}

async function decisionsOf(subject: Subject): Promise<readonly string[]> {
  const decisions: string[] = [];
  const watched = seen(subject.definition, (decision) => decisions.push(JSON.stringify(decision)));
  await traded({ ...subject, definition: watched });
  return decisions;
}

async function deterministic(subject: Subject): Promise<Verdict> {
  const [one, other] = [await decisionsOf(subject), await decisionsOf(subject)];
  const at = one.findIndex((decision, index) => decision !== other[index]);
  if (at === -1 && one.length === other.length) return undefined;
  return `decision ${at + 1} of the same script differs: ${one[at]} and ${other[at]}`;
}

async function bounded({ definition, options, maxDecideMs }: Subject): Promise<Verdict> {
  const market = await AttackedMarket.open(definition, options);
  market.calm(600);
  const took = Array.from({ length: 51 }, (_, at) => {
    const startUs = systemClock.monotonicUs();
    // A book that changes, so that each step has a decision.
    market.step({ bids: [[98, 1 + (at % 2)]] });
    return systemClock.monotonicUs() - startUs;
  }).sort((left, right) => left - right);
  const median = (took[25] ?? 0) / 1000;
  return median > maxDecideMs
    ? `a step takes ${text(median)} ms, more than ${maxDecideMs}`
    : undefined;
}

async function quoting(subject: Subject): Promise<Verdict> {
  const { trial } = await traded(subject);
  return Object.values(trial.markets).some(({ fills }) => fills.length > 0)
    ? undefined
    : "it placed no order that could be filled, so that nothing else is shown";
}

async function withinLimits({ definition, options }: Subject): Promise<Verdict> {
  const market = await AttackedMarket.open(definition, options);
  market.step();
  // Before the first book no limit of prices can be measured.
  const before = new Map(market.trial.denied.map(({ rule, count }) => [rule, count]));
  play(market);
  const denied = market.trial.denied.find(({ rule, count }) => count > (before.get(rule) ?? 0));
  return denied && `${denied.rule} denied orders in a calm market, first ${denied.first}`;
}

async function distinct(subject: Subject): Promise<Verdict> {
  let problem: string | undefined;
  const definition = seen(subject.definition, (decision) => {
    problem ??= twoAtOnePrice(decision);
  });
  await traded({ ...subject, definition });
  return problem;
}

const properties: Readonly<Record<string, (subject: Subject) => Promise<Verdict>>> = {
  "trades in a calm market": quoting,
  "withstands dust": (subject) => attacked(subject, "dust"),
  "withstands a gap": (subject) => attacked(subject, "gap"),
  "withstands a walk": (subject) => attacked(subject, "walk"),
  "survives a thin book": (subject) => odd(subject, "thin"),
  "survives a crossed book": (subject) => odd(subject, "crossed"),
  "survives a one-sided book": (subject) => odd(subject, "one-sided"),
  "survives an empty book": (subject) => odd(subject, "empty"),
  "survives the loss of a market": lost,
  "survives stale sources": stale,
  "never has two quotes at one price": distinct,
  "takes nothing back and forth": takenOnce,
  "stays within its limits": withinLimits,
  "keeps its state": kept,
  "decides the same again": deterministic,
  "decides in bounded time": bounded,
};

/** Plays every script for a strategy. Rejects with TouchlineError for invalid options, as `tryStrategy` does. */
export async function conforms<Schema extends z.ZodType, State, Role extends string>(
  definition: StrategyDefinition<Schema, State, Role>,
  options: ConformanceOptions<z.input<Schema>> = {},
): Promise<Conformance> {
  const { maxLoss = "0.6%", maxDecide = "50ms", ...trial } = options;
  const [share, maxDecideMs] = [parseShare(maxLoss), parseDurationMs(maxDecide)];
  if (share === undefined || maxDecideMs === undefined) {
    throw new TouchlineError(
      "OPTIONS_INVALID",
      `${maxLoss} is no share, or ${maxDecide} no duration.`,
      {
        hint: 'For example maxLoss: "0.6%" and maxDecide: "50ms".',
      },
    );
  }
  const subject: Subject = { definition, options: trial, maxLoss: share * 100, maxDecideMs };
  // Invalid options end here, not in each property.
  trialSetup(definition, trial);
  const results: ConformanceResult[] = [];
  for (const [property, judge] of Object.entries(properties)) {
    results.push({ property, ...(await resultOf(judge, subject)) });
  }
  const failed = results
    .filter(({ ok }) => !ok)
    .map(({ property, detail }) => `${property}: ${detail}`);
  return { strategy: definition.name, results, failed };
}

async function resultOf(
  judge: (subject: Subject) => Promise<Verdict>,
  subject: Subject,
): Promise<Omit<ConformanceResult, "property">> {
  try {
    const verdict = await judge(subject);
    if (verdict === undefined) return { ok: true };
    return typeof verdict === "string"
      ? { ok: false, detail: verdict }
      : { ok: true, detail: verdict.skipped };
  } catch (thrown) {
    return { ok: false, detail: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
