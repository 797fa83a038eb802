import { z } from "zod";
import { fixedOf } from "../domain/decimal.ts";
import {
  type Fixed,
  fixed,
  fixedFromNumber,
  fixedText,
  fixedToNumber,
  truncFixed,
} from "../domain/fixed.ts";
import { isAtLeast, type RiskRung, riskSteps } from "../domain/risk-step.ts";
import { amount, duration, durationText, percentText, share } from "../domain/setting.ts";
import type { Measured } from "./measured.ts";

/** What a trigger counts in. `quote`: an amount of quote token. */
export type TriggerUnit = "quote" | "share" | "duration" | "count";

/** The settings of one trigger. Values of every unit are exact: durations in milliseconds, shares as 0.001 for 0.1 %. */
export interface TriggerSettings {
  /** From which value on each step applies, mildest first, never falling. */
  readonly steps: readonly { readonly step: RiskRung; readonly from: Fixed }[];
  /** A step that the value has been below for this long is left again. Undefined: only an operator leaves it. */
  readonly recoverAfterMs?: number | undefined;
  /** Over which time the value is measured; triggers without a window have none. */
  readonly windowMs?: number | undefined;
  /** Fewest fills in the window that give a value. */
  readonly minFills?: number | undefined;
  /** How long after a fill it is compared with the mid. */
  readonly afterMs?: number | undefined;
}

/** One thing that the risk ladder watches. One file per trigger in `triggers/`, listed in `triggers.ts`. */
export interface RiskTrigger {
  /** In sentences: "the session loss is 21". */
  readonly title: string;
  readonly unit: TriggerUnit;
  /** The largest value that can occur, of a share or count that has one. */
  readonly max?: number;
  /** What is measured, for the docs. */
  readonly summary: string;
  /** Whether it is measured for the whole bot, for each strategy, or both. */
  readonly scopes: readonly ("bot" | "strategy")[];
  /** Settings beside the steps, with their defaults as written. */
  readonly extra: {
    readonly window?: string;
    readonly minFills?: number;
    readonly after?: string;
  };
  /** The present value in its unit; undefined when it cannot be measured now, which keeps the step as it is. */
  value(measured: Measured, settings: TriggerSettings): Fixed | undefined;
}

const limits: Readonly<Record<TriggerUnit, (max?: number) => z.ZodType<Fixed>>> = {
  quote: () => amount().transform(fixedOf),
  share: (max) =>
    share(max === undefined ? {} : { max })
      .refine((value) => value > 0, { error: "must be above 0: every value reaches 0" })
      .transform((value) => fixedFromNumber(value)),
  duration: () => duration({ min: 1 }).transform((durationMs) => fixedFromNumber(durationMs)),
  count: (max = Number.MAX_SAFE_INTEGER) =>
    z
      .int()
      .min(1)
      .max(max)
      .transform((count) => fixed(String(count))),
};

/** A mid is a double, so more decimals than these are noise. */
const SHOWN_DECIMALS = 8;
/** Of a share: 21.7289 %. Cut off like amounts, so that a value below a limit is not shown as the limit. */
const SHOWN_SHARE_DECIMALS = 6;

/** A value of a trigger as users write it. */
export function triggerText(unit: TriggerUnit, value: Fixed): string {
  switch (unit) {
    case "quote":
      return `${fixedText(truncFixed(value, SHOWN_DECIMALS))} quote token`;
    case "share":
      return percentText(fixedToNumber(truncFixed(value, SHOWN_SHARE_DECIMALS)));
    case "duration":
      return durationText(Math.round(fixedToNumber(value)));
    case "count":
      return fixedText(value);
  }
}

/** Longest window: what is remembered is bounded by it and by a number of entries. */
const MAX_WINDOW_MS = 86_400_000;

/** Parses the written settings of a trigger, `{ warn: "20", halt: "100", recoverAfter: 5m }`. */
export function triggerSchema({
  unit,
  max,
  summary,
  extra,
}: RiskTrigger): z.ZodType<TriggerSettings> {
  const from = () => limits[unit](max);
  const steps = {
    warn: from().optional(),
    widen: from().optional(),
    reduceOnly: from().optional(),
    pause: from().optional(),
    halt: from().optional(),
    recoverAfter: duration({ min: 1 }).optional(),
  };
  const rest = {
    window: duration({ min: 1_000, max: MAX_WINDOW_MS }).prefault(extra.window ?? "1m"),
    minFills: z
      .int()
      .min(1)
      .max(1_000)
      .default(extra.minFills ?? 1),
    after: duration({ min: 1_000, max: 600_000 }).prefault(extra.after ?? "5s"),
  };
  const keys = Object.entries(rest).filter(([name]) => name in extra);
  return z
    .strictObject({ ...steps, ...Object.fromEntries(keys) })
    .transform((written, context): TriggerSettings => {
      const settings = settingsOf(written);
      for (const [at, { step }] of settings.steps.entries()) {
        const before = settings.steps[at - 1];
        if (before === undefined || before.from <= (settings.steps[at]?.from ?? before.from)) {
          continue;
        }
        const message = `begins before ${before.step}, which is a milder step`;
        context.addIssue({ code: "custom", path: [step], message });
      }
      const { afterMs, windowMs } = settings;
      if (afterMs !== undefined && windowMs !== undefined && afterMs >= windowMs) {
        const message = "must be shorter than window: no fill would be compared with a later mid";
        context.addIssue({ code: "custom", path: ["after"], message });
      }
      if (settings.steps.length === 0) {
        const message = `has no step: set ${riskSteps.join(", ")} or some of them`;
        context.addIssue({ code: "custom", message });
      }
      return settings;
    })
    .describe(summary);
}

interface Written extends Partial<Readonly<Record<RiskRung, Fixed | undefined>>> {
  readonly recoverAfter?: number | undefined;
  readonly window?: number;
  readonly minFills?: number;
  readonly after?: number;
}

function settingsOf(written: Written): TriggerSettings {
  return {
    steps: riskSteps.flatMap((step) => {
      const from = written[step];
      return from === undefined ? [] : [{ step, from }];
    }),
    recoverAfterMs: written.recoverAfter,
    windowMs: written.window,
    minFills: written.minFills,
    afterMs: written.after,
  };
}

/** The hardest step that a value has reached. */
export function stepAt({ steps }: TriggerSettings, value: Fixed): RiskRung | undefined {
  let reached: RiskRung | undefined;
  for (const { step, from } of steps) {
    if (value >= from && (reached === undefined || isAtLeast(step, reached))) reached = step;
  }
  return reached;
}

/** From which value on a step applies: its own limit, or that of the next harder one. */
export function limitOf({ steps }: TriggerSettings, step: RiskRung): Fixed | undefined {
  return steps.find((one) => isAtLeast(one.step, step))?.from;
}
