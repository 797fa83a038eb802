import { readText } from "../platform/whole-file.ts";
import type { DelaySample, DelaySettings } from "../simulated/delay.ts";
import type { WrittenDelay } from "./delay-setting.ts";
import { filePath } from "./file-path.ts";
import type { YamlSource } from "./parse-yaml.ts";

/** The kinds of messages that have a delay of their own. */
export const ways = ["entry", "response", "feed"] as const;
export type Way = (typeof ways)[number];

/**
 * Reads the file of a trace: CSV with the columns `time` (Unix milliseconds), `way` and `ms`, in any order among others, as
 * `touchline journal export --table latency` writes it. Adds a problem to `source` when it cannot be read, has no rows of this kind, or one
 * without a delay.
 */
export function resolvedDelay(source: YamlSource, way: Way, written: WrittenDelay): DelaySettings {
  if (written.type !== "trace") return written;
  const key = ["models", "latency", way];
  const file = filePath(source, key, written.file);
  let text = "";
  try {
    text = readText(file);
  } catch {
    source.problem(key, `names ${written.file}, which cannot be read`);
    return { type: "constant", ms: 0 };
  }
  const { samples, badLine } = samplesOf(text, way);
  if (badLine !== undefined) {
    source.problem(
      key,
      `names ${written.file}, whose line ${badLine} has no time or no delay of 0 ms or more`,
    );
  } else if (samples.length === 0) {
    source.problem(
      key,
      `names ${written.file}, which has no rows for ${way}: a line \`time,way,ms\`, then for instance \`1767225600000,${way},12.5\``,
    );
  }
  return { type: "trace", samples };
}

interface TraceRows {
  readonly samples: readonly DelaySample[];
  /** Number of the first line of this kind that is not a delay. Leaving it out could make the venue faster than it was. */
  readonly badLine: number | undefined;
}

function samplesOf(text: string, way: Way): TraceRows {
  const [header = "", ...lines] = text.split(/\r?\n/);
  const names = header.split(",");
  const [timeAt, wayAt, msAt] = ["time", "way", "ms"].map((name) => names.indexOf(name));
  if (timeAt === undefined || wayAt === undefined || msAt === undefined) {
    return { samples: [], badLine: undefined };
  }
  const samples: DelaySample[] = [];
  for (const [at, line] of lines.entries()) {
    const cells = line.split(",");
    if (cells[wayAt] !== way) continue;
    const [timeMs, ms] = [numberOf(cells[timeAt]), numberOf(cells[msAt])];
    if (!Number.isFinite(timeMs) || !Number.isFinite(ms) || ms < 0) {
      return { samples, badLine: at + 2 };
    }
    samples.push({ timeMs, ms });
  }
  return {
    samples: samples.toSorted((left, right) => left.timeMs - right.timeMs),
    badLine: undefined,
  };
}

/** NaN for an empty cell, which `Number` takes for 0. */
function numberOf(cell: string | undefined): number {
  return cell === undefined || cell.trim() === "" ? Number.NaN : Number(cell);
}
