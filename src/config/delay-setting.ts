import { z } from "zod";
import { parseDurationMs } from "../domain/setting.ts";
import type { DelaySettings } from "../simulated/delay.ts";

/** A delay as a configuration names it: a trace is still a file. */
export type WrittenDelay =
  | Exclude<DelaySettings, { readonly type: "trace" }>
  | { readonly type: "trace"; readonly file: string };

const callForm = /^(\w+)\((.*)\)$/;
/** What YAML leaves of `uniform(5ms, 25ms)` inside braces without quotes. */
const cutCallForm = /^\w+\([^,)]*$/;
const MAX_MS = 60_000;

const forms =
  "20ms, uniform(MIN, MAX), normal(MEAN, DEVIATION), lognormal(MEAN, DEVIATION), exponential(MEAN), exponential(MEAN, MIN) or trace(FILE)";

/** Text such as `20ms` or `lognormal(20ms, 5ms)`. `recorded(MIN)` only where a recording has the times. */
export function delaySetting({ allowsRecorded }: { readonly allowsRecorded: boolean }) {
  const allowed = allowsRecorded ? `${forms}, or recorded(MIN)` : forms;
  return z
    .string({ error: `is not a delay, write ${allowed}` })
    .transform((text, context): WrittenDelay => {
      const delay = parseDelay(text);
      if (delay !== undefined && (delay.type !== "recorded" || allowsRecorded)) return delay;
      const isCut = cutCallForm.test(text);
      const quotes = isCut ? `; inside { } put "${text}, …)" in quotes, because of the comma` : "";
      context.addIssue({ code: "custom", message: `is not a delay, write ${allowed}${quotes}` });
      return z.NEVER;
    });
}

/** A delay of any form; undefined for another text. */
export function parseDelay(text: string): WrittenDelay | undefined {
  const ms = durationMs(text);
  if (ms !== undefined) return { type: "constant", ms };
  const [, name, inner = ""] = callForm.exec(text.trim()) ?? [];
  if (name === "trace") {
    const file = inner.trim();
    return file === "" ? undefined : { type: "trace", file };
  }
  const args = inner.split(",").map((part) => durationMs(part.trim()));
  const [first, second] = args;
  if (first === undefined || args.length > 2 || (args.length === 2 && second === undefined)) {
    return undefined;
  }
  if (second === undefined) return ofOne(name, first);
  return ofTwo(name, first, second);
}

function ofOne(name: string | undefined, value: number): WrittenDelay | undefined {
  if (name === "exponential") return { type: "exponential", mean: value, min: 0 };
  if (name === "recorded") return { type: "recorded", min: value };
  return undefined;
}

function ofTwo(name: string | undefined, first: number, second: number): WrittenDelay | undefined {
  switch (name) {
    case "uniform":
      return first <= second ? { type: "uniform", min: first, max: second } : undefined;
    case "normal":
      return { type: "normal", mean: first, deviation: second };
    case "lognormal":
      return first > 0 ? { type: "lognormal", mean: first, deviation: second } : undefined;
    case "exponential":
      return second <= first ? { type: "exponential", mean: first, min: second } : undefined;
    default:
      return undefined;
  }
}

function durationMs(text: string): number | undefined {
  const ms = parseDurationMs(text);
  return ms !== undefined && ms <= MAX_MS ? ms : undefined;
}
