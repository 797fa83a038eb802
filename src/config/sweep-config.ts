import { z } from "zod";
import { numbers, parseExpression } from "../domain/expression.ts";
import { duration } from "../domain/setting.ts";
import { marketIdText } from "../spec/fields.ts";

/** The schema of SWEEP.yaml: every key with its meaning and default (docs/sweep.md). */

/** The figures of a run that an objective may name. */
export const sweepFigures = [
  "pnl",
  "sharpe",
  "pnlPerDrawdown",
  "pnlPerVolume",
  "maxDrawdown",
  "volume",
  "fills",
  "hours",
  "denied",
  "own.*",
] as const;
export type SweepFigure = Exclude<(typeof sweepFigures)[number], "own.*">;

/** A number with an optional unit: `20`, `0.05%`, `500ms`. */
interface Quantity {
  readonly value: number;
  readonly unit: string;
}

/** Values that a parameter may take: a list, or a range from `from` to `to`, with a number of steps unless it is continuous. */
export type ParameterValues =
  | { readonly kind: "list"; readonly values: readonly unknown[] }
  | {
      readonly kind: "range";
      readonly from: number;
      readonly to: number;
      /** `%`, `ms`, …; empty without one. */
      readonly unit: string;
      readonly steps: number | undefined;
      readonly scale: "linear" | "log";
    };

type WrittenParameter = ParameterValues & {
  /** Further paths that get the same value. */
  readonly also: readonly string[];
};

const values = z.array(z.unknown()).min(1).max(1000);
const end = z.union([z.string(), z.number()]);

const range = z.strictObject({
  values: values.optional().describe("Values to choose from, in place of a range."),
  from: end.optional().describe("First value of the range: a number, with a unit such as `0.01%`."),
  to: end.optional().describe("Last value of the range, with the same unit."),
  steps: z
    .int()
    .min(2)
    .max(1000)
    .optional()
    .describe("Number of values, ends included; without it, random and bayesian take any value."),
  scale: z
    .enum(["linear", "log"])
    .default("linear")
    .describe("Equal distances, or equal ratios between two values."),
  also: z
    .array(z.string().min(1))
    .max(100)
    .default([])
    .describe("Further paths that get the same value, such as the other side's spread."),
});

const parameter = z.union([values, range]).transform((written, context): WrittenParameter => {
  if (Array.isArray(written)) return { kind: "list", values: written, also: [] };
  const { also, scale, steps } = written;
  if (written.values !== undefined) {
    const isRange = [written.from, written.to, steps].some((part) => part !== undefined);
    if (isRange) return refuse(context, "has a list and a range, keep one");
    return { kind: "list", values: written.values, also };
  }
  const from = quantityOf(written.from);
  const to = quantityOf(written.to);
  if (from === undefined || to === undefined) {
    return refuse(context, "must have values, or from and to, each a number with or without unit");
  }
  if (from.unit !== to.unit) return refuse(context, "must have the same unit in from and to");
  if (!(from.value < to.value)) return refuse(context, "must have a from below its to");
  if (scale === "log" && from.value <= 0) {
    return refuse(context, "must have a from above 0 for a log scale");
  }
  return { kind: "range", from: from.value, to: to.value, unit: from.unit, steps, scale, also };
});

const walkForward = z.strictObject({
  train: duration({ min: 1000 }).describe("Length of the span that parameters are chosen on."),
  test: duration({ min: 1000 }).describe("Length of the span after it that they are tested on."),
  purge: duration()
    .prefault("0s")
    .describe("Time between both that is in neither, so that nothing of one reaches the other."),
});

/** A sweep: the config, what it is replayed over, which parameters vary, and how the best are searched. */
export const sweepSchema = z.strictObject({
  config: z.string().min(1).describe("YAML file of the bot, relative to this file."),
  recordings: z
    .array(z.string().min(1))
    .min(1)
    .describe("Folders of recordings, relative to this file; each run replays all of them."),
  markets: z
    .record(marketIdText, z.string().min(1))
    .default({})
    .describe("The recording's market for a market of the config, as `replay --market`."),
  parameters: z
    .record(z.string().min(1), parameter)
    .refine((all) => Object.keys(all).length > 0, "is empty, must have at least one parameter")
    .describe("By path in the config, as for `--set`: a list of values, or a range."),
  search: z
    .enum(["grid", "random", "bayesian"])
    .default("grid")
    .describe("Every combination, random ones, or those that TPE proposes from earlier results."),
  runs: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe("Number of combinations that random and bayesian try; a grid tries all."),
  seed: z.int().min(0).max(0xffff_ffff).default(1).describe("Seeds random and bayesian search."),
  batch: z
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe(
      "Combinations that bayesian search proposes at once, whatever the number of workers.",
    ),
  objective: z
    .string()
    .superRefine((text, context) => {
      const parsed = parseExpression(text, sweepFigures, numbers);
      if ("problem" in parsed) context.addIssue({ code: "custom", message: parsed.problem });
    })
    .default("pnl")
    .describe(
      "What the best run has most of: a figure, or an expression such as `pnl - 2 * maxDrawdown`.",
    ),
  minFills: z
    .int()
    .min(0)
    .default(0)
    .describe("Runs with fewer fills are listed, but never among the best."),
  walkForward: walkForward
    .optional()
    .describe(
      "Chooses parameters on one span of time and tests them on the next, again and again.",
    ),
});

/** SWEEP.yaml after defaults and conversions. */
export type SweepDocument = z.output<typeof sweepSchema>;

const quantityForm = /^(-?\d+(?:\.\d+)?) ?([A-Za-z%]*)$/;

function quantityOf(written: string | number | undefined): Quantity | undefined {
  if (typeof written === "number") {
    return Number.isFinite(written) ? { value: written, unit: "" } : undefined;
  }
  const match = quantityForm.exec(written ?? "");
  return match === null ? undefined : { value: Number(match[1]), unit: match[2] ?? "" };
}

function refuse(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}
