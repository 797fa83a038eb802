import { z } from "zod";
import { duration, durationText } from "../domain/setting.ts";
import { key, type KeyFacts } from "./bot-key.ts";

type NameOf<Name> = Name extends `${infer Short}Ms` ? Short : never;

export interface PeriodsOptions<Periods> {
  /** The block in the YAML. */
  readonly name: string;
  /** In milliseconds, and named so: `reconcileMs`. */
  readonly defaults: Periods;
  readonly acts: KeyFacts;
  /** What each one means, and where it acts if not where the others do. */
  readonly about: {
    readonly [Name in keyof Periods as NameOf<Name>]-?: string | readonly [KeyFacts, string];
  };
  /** Old name → new name, without the unit. */
  readonly renamed?: Readonly<Record<string, NameOf<keyof Periods>>>;
}

/** A block of periods, each by its name without the unit: `reconcileMs` is written `reconcile: 30s`. */
export function periods<Periods extends object>(options: PeriodsOptions<Periods>) {
  const { name, defaults, acts, about, renamed = {} } = options;
  const shape: Record<string, z.ZodType> = {};
  for (const [short, text] of Object.entries<string | readonly [KeyFacts, string]>(about)) {
    const [own, sentence] = typeof text === "string" ? [acts, text] : text;
    const usual = durationText(Number(Reflect.get(defaults, `${short}Ms`)));
    const isRenamed = Object.values<string>(renamed).includes(short);
    const period = duration({ min: 1 });
    shape[short] = isRenamed
      ? key(period.optional(), own, `${sentence} ${usual} when left out.`)
      : key(period.prefault(usual), own, sentence);
  }
  for (const [old, short] of Object.entries<string>(renamed)) {
    const renamedTo = [`${name}.${short}`];
    shape[old] = key(
      duration({ min: 1 }).optional(),
      { ...acts, renamedTo },
      `Old name of \`${renamedTo.join()}\`.`,
    ).meta({ deprecated: true });
  }
  return z.strictObject(shape).transform((given): Periods => {
    const set: Record<string, unknown> = {};
    for (const [written, value] of Object.entries(given)) {
      if (value === undefined) continue;
      const short: string = renamed[written] ?? written;
      // The new name counts where both are written.
      if (short === written || given[short] === undefined) set[`${short}Ms`] = value;
    }
    return { ...defaults, ...set };
  });
}
