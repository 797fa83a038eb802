import { z } from "zod";
import { Decimal } from "./decimal.ts";
import { type Fixed, fixedText, parseFixed, plainNumber } from "./fixed.ts";

/** zod codecs for durations, shares and amounts as users write them in settings. */

/** The range of a setting in words, for tables of parameters: zod cannot list what a codec refuses. */
export const settingRange = z.registry<{ readonly range: string }>();

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const durationForm = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/;

/** `500ms`, `20s`, `5m`, `2h`, `1d` (decimals too) in milliseconds; undefined when `text` is of another form. */
export function parseDurationMs(text: string): number | undefined {
  const match = durationForm.exec(text);
  const unit = unitMs[match?.[2] ?? ""];
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
}

/** Milliseconds as the shortest such text that is exact. */
export function durationText(durationMs: number): string {
  for (const unit of ["d", "h", "m", "s"]) {
    const count = durationMs / (unitMs[unit] ?? 1);
    if (count >= 1 && Number.isInteger(count * 10)) return `${count}${unit}`;
  }
  return `${durationMs}ms`;
}

/** Text such as `500ms`, `20s`, `5m` or `2h`; gives milliseconds. `min` and `max` are milliseconds, both allowed. */
export function duration(range: { readonly min?: number; readonly max?: number } = {}) {
  const min = range.min ?? 0;
  const max = range.max ?? Number.MAX_SAFE_INTEGER;
  const error = "is not a duration, write 500ms, 20s, 5m or 2h";
  return z
    .string({ error: missingOr(error) })
    .transform((text, context) => {
      const durationMs = parseDurationMs(text);
      if (durationMs === undefined) return refuse(context, error);
      if (durationMs < min) return refuse(context, `is too short, at least ${durationText(min)}`);
      if (durationMs > max) return refuse(context, `is too long, at most ${durationText(max)}`);
      return durationMs;
    })
    .register(settingRange, {
      range: rangeText(
        durationText(min),
        range.max === undefined ? undefined : durationText(range.max),
      ),
    });
}

const unitBytes: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, TB: 1e12 };
const bytesForm = /^(\d{1,9}(?:\.\d{1,6})?) ?(MB|GB|TB)$/;

/** An amount of data such as `500MB`, `20GB` or `1TB`, in powers of ten; gives bytes. `min` is in bytes and allowed. */
export function dataSize(range: { readonly min: number }) {
  const error = "is not an amount of data, write 500MB, 20GB or 1TB";
  const least = `${range.min / 1e6}MB`;
  return z
    .string({ error: missingOr(error) })
    .transform((text, context) => {
      const [, count, unit = ""] = bytesForm.exec(text) ?? [];
      const bytes = Number(count) * (unitBytes[unit] ?? Number.NaN);
      if (Number.isNaN(bytes)) return refuse(context, error);
      if (bytes < range.min) return refuse(context, `is too small, at least ${least}`);
      return Math.floor(bytes);
    })
    .register(settingRange, { range: rangeText(least, undefined) });
}

const shareForm = /^(-?\d+(?:\.\d+)?)(%?)$/;

/** `0.1%` or `0.001`, as the number 0.001 exactly; undefined when `text` is of another form. */
export function parseShare(text: string): number | undefined {
  const match = shareForm.exec(text);
  const value = parseFixed(match?.[1] ?? "");
  if (value === undefined) return undefined;
  return Number(fixedText(match?.[2] === "%" ? ((value / 100n) as Fixed) : value));
}

/** A share of something: `0.1%`, or 0.001 plain; gives the number 0.001. `min` (0 when left out) and `max` are allowed. */
export function share(range: { readonly min?: number; readonly max?: number } = {}) {
  const min = range.min ?? 0;
  const max = range.max ?? Number.POSITIVE_INFINITY;
  const error = "is not a share, write 0.1% or 0.001";
  return z
    .union([z.string(), z.number()], { error: missingOr(error) })
    .transform((written, context) => {
      const value = parseShare(typeof written === "number" ? plainNumber(written) : written);
      if (value === undefined) return refuse(context, error);
      if (value < min) return refuse(context, `is too small, at least ${percentText(min)}`);
      if (value > max) return refuse(context, `is too large, at most ${percentText(max)}`);
      return value;
    })
    .register(settingRange, {
      range: rangeText(
        percentText(min),
        range.max === undefined ? undefined : percentText(range.max),
      ),
    });
}

/** One setting for all levels of a ladder, or a list with one for each; gives a list. */
export function perLevel<Setting extends z.ZodType>(setting: Setting) {
  const list = z
    .union([setting, z.array(setting).min(1).max(50)])
    .transform((written): readonly z.output<Setting>[] =>
      Array.isArray(written) ? written : [written],
    );
  settingRange.add(list, { range: `${settingRange.get(setting)?.range ?? ""}, or a list` });
  return list;
}

function rangeText(min: string, max: string | undefined): string {
  return max === undefined ? `${min} or more` : `${min} to ${max}`;
}

/** 0.001 as `0.1%`, with at most so many significant digits. */
export function percentText(value: number, digits = 12): string {
  return `${plainNumber(Number((value * 100).toPrecision(digits)))}%`;
}

const amountForm = /^\d{1,30}(\.\d{1,18})?$/;
const noAmount = 'is not an amount, write plain decimals like "0.5"';

/** An amount of a token: plain decimal text, or a number; gives a Decimal above 0, or from 0 with `zero`. */
export function amount(options: { readonly zero?: boolean } = {}) {
  return z
    .union([z.string(), z.number()], { error: missingOr(noAmount) })
    .transform((written, context) => {
      const text = typeof written === "number" ? plainNumber(written) : written;
      if (!amountForm.test(text)) return refuse(context, amountProblem(text));
      const value = new Decimal(text);
      if (value.isZero() && options.zero !== true) return refuse(context, "must be above 0");
      return value;
    })
    .register(settingRange, { range: options.zero === true ? "0 or more" : "above 0" });
}

function amountProblem(text: string): string {
  if (/^-\d+(\.\d+)?$/.test(text)) return "must not be negative";
  if (/^\d+(\.\d+)?$/.test(text)) {
    return "has too many digits, at most 30 before the decimal point and 18 after it";
  }
  return noAmount;
}

/** A price in quote token, text or number; gives a number above 0. */
export function price() {
  return amount()
    .transform((value) => value.toNumber())
    .register(settingRange, { range: "above 0" });
}

/** The name of a price source (`sources:` in the YAML), which the configuration must have. */
export function sourceName() {
  return z
    .string()
    .min(1)
    .meta({ isSourceName: true })
    .register(settingRange, { range: "name of a source" });
}

function refuse(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}

/** No message for a missing value: the code that prints the issue says that it is missing. */
function missingOr(message: string) {
  return (issue: { readonly input?: unknown }) => (issue.input === undefined ? undefined : message);
}
