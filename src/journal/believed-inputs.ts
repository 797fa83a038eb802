import type { Input } from "../kernel/input.ts";
import type { BatchEntry } from "./entry.ts";

/**
 * The inputs of a step as its kernel took them, without what it did not believe (docs/venue-doubts.md). Read these, not the batch's, to
 * count fills or to follow orders.
 */
export function believedInputs({ batch, effects }: BatchEntry): readonly Input[] {
  const { inputs } = batch;
  if (!effects.some(({ type }) => type === "disbelieve")) return inputs;
  const believed = new Map<number, readonly Input[]>();
  for (const effect of effects) {
    if (effect.type !== "disbelieve") continue;
    believed.set(effect.at, effect.believed === undefined ? [] : [effect.believed]);
  }
  return inputs.flatMap((input, at) => believed.get(at) ?? [input]);
}
