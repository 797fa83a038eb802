import { z } from "zod";
import { errorText } from "../base/error-text.ts";

/** One replay of a sweep as plain data: everything that its result depends on, so that any machine can run it. */
export interface SweepJob {
  /** SHA-256 over everything that the result depends on; equal jobs of two sweeps have equal ids. */
  readonly id: string;
  /** The bot's YAML. Plugins are looked up relative to its file; variables are filled in where the job runs. */
  readonly bot: { readonly file: string; readonly text: string };
  /** `path=value`, as for `--set`. */
  readonly overrides: readonly string[];
  /** The recording's folder and the checksum of its files (`recordingChecksum`). */
  readonly recording: { readonly folder: string; readonly checksum: string };
  /** The recording's market for a market of the config. */
  readonly markets: Readonly<Record<string, string>>;
  /** As `--from` and `--to` of a replay, in Unix milliseconds. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

const money = z.object({ total: z.string() });
const sharpe = z.object({
  perHour: z.number(),
  low: z.number(),
  high: z.number(),
  intervals: z.number(),
});
const totals = z.object({
  pnl: money,
  volume: z.string(),
  maxDrawdown: z.string(),
  sharpe: sharpe.nullable(),
});

const described = z.record(z.string(), z.union([z.number(), z.string()])).default({});

/** What a sweep reads of a replay's result line; the rest is kept as it is. */
const replayLine = z.looseObject({
  durationMs: z.number(),
  fills: z.number(),
  volumeQuote: z.string().nullable(),
  pnl: money.nullable(),
  maxDrawdown: z.string().nullable(),
  sharpe: sharpe.nullable(),
  /** All markets in one reporting currency, for several markets. */
  totals: totals.nullable(),
  denied: z.array(z.looseObject({ rule: z.string(), count: z.number() })),
  described,
  strategies: z.array(z.looseObject({ name: z.string(), described })).default([]),
});
export type ReplayLine = z.output<typeof replayLine>;

export const jobReport = z.object({
  /** Null when the replay could not run. */
  result: replayLine.nullable(),
  /** Why the run does not count, in one line; null when it does. */
  reason: z.string().nullable(),
  /** The replay's warnings. */
  warnings: z.array(z.string()),
});

/** What came of a job. */
export type JobReport = z.output<typeof jobReport>;

export type RunJob = (job: SweepJob) => Promise<JobReport>;

/** A report about a job without a result. */
export function failedReport(error: unknown): JobReport {
  const message = errorText(error);
  return { result: null, reason: message.replaceAll("\n", "; "), warnings: [] };
}
