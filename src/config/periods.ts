import { z } from "zod";
import { duration, durationText } from "../domain/setting.ts";
import { key, type KeyFacts } from "./bot-key.ts";

type NameOf<Name> = Name extends `${infer Short}Ms` ? Short : never;

export interface PeriodsOptions<Periods> {
  /** In milliseconds, and named so: `reconcileMs`. */
  readonly defaults: Periods;
  readonly acts: KeyFacts;
  /** What each one means, and where it acts if not where the others do. */
  readonly about: {
    readonly [Name in keyof Periods as NameOf<Name>]-?: string | readonly [KeyFacts, string];
  };
}

/** A block of periods, each by its name without the unit: `reconcileMs` is written `reconcile: 30s`. */
export function periods<Periods extends object>({
  defaults,
  acts,
  about,
}: PeriodsOptions<Periods>) {
  const shape: Record<string, z.ZodType> = {};
  for (const [short, text] of Object.entries<string | readonly [KeyFacts, string]>(about)) {
    const [own, sentence] = typeof text === "string" ? [acts, text] : text;
    const usual = durationText(Number(Reflect.get(defaults, `${short}Ms`)));
    shape[short] = key(duration({ min: 1 }).prefault(usual), own, sentence);
  }
  return z.strictObject(shape).transform((given): Periods => {
    const set = Object.entries(given).map(([short, value]) => [`${short}Ms`, value]);
    return { ...defaults, ...Object.fromEntries(set) };
  });
}
