import { z } from "zod";
import { Decimal } from "../domain/decimal.ts";

/** Codecs for what people write in YAML. Each takes the written form and gives the strategy a plain value. */

const durationForm = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
const durationUnits: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of `500ms`, `20s`, `5m`, `2h`, `1d`; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  const match = durationForm.exec(text.trim());
  const unit = durationUnits[match?.[2] ?? ""];
  if (match?.[1] === undefined || unit === undefined) return undefined;
  return Number(match[1]) * unit;
}

const shareForm = /^-?\d+(?:\.\d+)?%?$/;

/** The share that `0.1%` or `0.001` names; undefined for anything else. */
export function parseShare(text: string): number | undefined {
  const trimmed = text.trim();
  if (!shareForm.test(trimmed)) return undefined;
  return trimmed.endsWith("%")
    ? new Decimal(trimmed.slice(0, -1)).div(100).toNumber()
    : Number(trimmed);
}

/** A time span: `500ms`, `20s`, `5m`, `2h`. Output: milliseconds. Limits in milliseconds. */
function duration(limits: { readonly min?: number; readonly max?: number } = {}) {
  return z
    .union([z.string(), z.number()])
    .transform((written, context) => {
      const value = typeof written === "number" ? undefined : parseDurationMs(written);
      if (value === undefined) {
        context.addIssue({
          code: "custom",
          message: "is not a time span; write it like 500ms, 20s, 5m or 2h",
        });
        return z.NEVER;
      }
      return value;
    })
    .pipe(
      z
        .number()
        .min(limits.min ?? 0, `is under ${limits.min ?? 0}ms`)
        .max(limits.max ?? 366 * 86_400_000, `is over ${limits.max ?? 366 * 86_400_000}ms`),
    );
}

/** A share: `0.1%` or `0.001`. Output: the share as a number (0.001). Limits are shares. */
function share(limits: { readonly min?: number; readonly max?: number } = {}) {
  const min = limits.min ?? 0;
  const max = limits.max ?? 1;
  return z
    .union([z.string(), z.number()])
    .transform((written, context) => {
      const value = typeof written === "number" ? written : parseShare(written);
      if (value === undefined || !Number.isFinite(value)) {
        context.addIssue({ code: "custom", message: "is not a share; write it like 0.1% or 0.001" });
        return z.NEVER;
      }
      return value;
    })
    .pipe(
      z
        .number()
        .min(min, `is under ${percentText(min)}`)
        .max(max, `is over ${percentText(max)}`),
    );
}

function percentText(value: number): string {
  return `${new Decimal(value).times(100).toString()}%`;
}

/** An amount of a token: decimal text such as "0.5" (a plain number is taken too). Output: Decimal, above 0 unless `zero`. */
function amount(options: { readonly zero?: boolean } = {}) {
  return z.union([z.string(), z.number()]).transform((written, context) => {
    const text = String(written);
    if (!/^\d{1,30}(\.\d{1,18})?$/.test(text)) {
      context.addIssue({ code: "custom", message: 'is not an amount; write it like "0.5"' });
      return z.NEVER;
    }
    const value = new Decimal(text);
    if (value.isZero() && options.zero !== true) {
      context.addIssue({ code: "custom", message: "must be above 0" });
      return z.NEVER;
    }
    return value;
  });
}

/** A price: a number above 0 in quote token, or its text. Output: number. */
function price() {
  return z
    .union([z.string().regex(/^\d+(\.\d+)?$/, "is not a price"), z.number()])
    .transform(Number)
    .pipe(z.number().positive("must be above 0"));
}

/** Codecs for a strategy's parameters: `z.strictObject({ bidSpread: params.share(), refresh: params.duration() })`. */
export const params = { duration, share, amount, price };
