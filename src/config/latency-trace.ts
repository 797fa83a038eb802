import { readFileSync } from "node:fs";
import type { DelaySample, DelaySettings } from "../simulated/delay.ts";
import type { WrittenDelay } from "./delay-setting.ts";
import { filePath } from "./file-path.ts";
import type { YamlSource } from "./parse-yaml.ts";

/** The kinds of messages that have a delay of their own. */
export const ways = ["entry", "response", "feed"] as const;
export type Way = (typeof ways)[number];

/**
 * Reads the file of a trace: CSV with the columns `time` (Unix milliseconds), `way` and `ms`, in any order among others, as
 * `touchline journal export --table latency` writes it. Adds a problem to `source` when it cannot be read or has no rows of this kind.
 */
export function resolvedDelay(source: YamlSource, way: Way, written: WrittenDelay): DelaySettings {
  if (written.type !== "trace") return written;
  const key = ["models", "latency", way];
  const file = filePath(source, key, written.file);
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    source.problem(key, `names ${written.file}, which cannot be read`);
    return { type: "constant", ms: 0 };
  }
  const samples = samplesOf(text, way);
  if (samples.length === 0) {
    source.problem(
      key,
      `names ${written.file}, which has no rows for ${way}: a line \`time,way,ms\`, then for instance \`1767225600000,${way},12.5\``,
    );
  }
  return { type: "trace", samples };
}

function samplesOf(text: string, way: Way): readonly DelaySample[] {
  const [header = "", ...lines] = text.split(/\r?\n/);
  const names = header.split(",");
  const [timeAt, wayAt, msAt] = ["time", "way", "ms"].map((name) => names.indexOf(name));
  if (timeAt === undefined || wayAt === undefined || msAt === undefined) return [];
  return lines
    .map((line) => line.split(","))
    .filter((cells) => cells[wayAt] === way)
    .map((cells) => ({ timeMs: Number(cells[timeAt]), ms: Number(cells[msAt]) }))
    .filter(({ timeMs, ms }) => Number.isFinite(timeMs) && ms >= 0 && ms <= 60_000)
    .toSorted((left, right) => left.timeMs - right.timeMs);
}
