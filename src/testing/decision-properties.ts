import { isDeepStrictEqual } from "node:util";
import { systemClock } from "../platform/clock.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { AttackedMarket } from "./attacked-market.ts";
import { type Property, type Subject, text, type Judgement } from "./conformance-subject.ts";
import { seen } from "./seen-decisions.ts";
import { traded } from "./order-properties.ts";

/** What must hold of the function `decide` and of the state that it keeps. */

async function kept(subject: Subject): Promise<Judgement> {
  const { definition } = subject;
  const { state: keeping } = definition;
  if (keeping === undefined) return { skipped: "it keeps no state" };
  let state: unknown;
  const watched = seen(definition, (_, input) => {
    ({ state } = input);
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

async function deterministic(subject: Subject): Promise<Judgement> {
  const [one, other] = [await decisionsOf(subject), await decisionsOf(subject)];
  const at = one.findIndex((decision, index) => decision !== other[index]);
  if (at === -1 && one.length === other.length) return undefined;
  return `decision ${at + 1} of the same script differs: ${one[at]} and ${other[at]}`;
}

async function bounded({ definition, options, maxDecideMs }: Subject): Promise<Judgement> {
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

export const decisionProperties: Readonly<Record<string, Property>> = {
  "keeps its state": kept,
  "decides the same again": deterministic,
  "decides in bounded time": bounded,
};
