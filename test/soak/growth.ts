/** Memory after a full collection and the journal's files, at one moment of a long run. */
export interface GrowthSample {
  /** Since the run's start. */
  readonly hours: number;
  readonly heapMb: number;
  readonly rssMb: number;
  /** The files of the journal as they are, compressed segments included; on virtual time all that was written. */
  readonly journalMb: number;
}

export type Grown = "heapMb" | "rssMb" | "journalMb";

/** Slope of the least-squares line through a value, MB per hour; 0 for fewer than two samples. */
export function mbPerHour(samples: readonly GrowthSample[], value: Grown): number {
  const count = samples.length;
  const mean = (pick: (sample: GrowthSample) => number): number =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / count;
  const meanHours = mean(({ hours }) => hours);
  const meanValue = mean((sample) => sample[value]);
  let above = 0;
  let below = 0;
  for (const sample of samples) {
    above += (sample.hours - meanHours) * (sample[value] - meanValue);
    below += (sample.hours - meanHours) ** 2;
  }
  return below === 0 ? 0 : above / below;
}

/** The second half of a run: collections with a bound have been filled by then. */
export function secondHalf(samples: readonly GrowthSample[]): readonly GrowthSample[] {
  const last = samples.at(-1)?.hours ?? 0;
  return samples.filter(({ hours }) => hours >= last / 2);
}

export function growthLine({ hours, heapMb, rssMb, journalMb }: GrowthSample): string {
  return `${hours.toFixed(2)} h: heap ${heapMb.toFixed(1)} MB, rss ${rssMb.toFixed(0)} MB, journal ${journalMb.toFixed(1)} MB\n`;
}

/** Slopes of the whole run and of its second half, as rows of a Markdown table. */
export function slopeTable(samples: readonly GrowthSample[]): string {
  const half = secondHalf(samples);
  const row = (title: string, value: Grown): string => {
    const [first, last] = [samples.at(0)?.[value] ?? 0, samples.at(-1)?.[value] ?? 0];
    const slopes = [samples, half].map((part) => mbPerHour(part, value).toFixed(2));
    return `| ${title} | ${first.toFixed(1)} | ${last.toFixed(1)} | ${slopes.join(" | ")} |\n`;
  };
  return (
    "| | first sample, MB | last, MB | slope, MB/h | slope of the second half, MB/h |\n|---|---|---|---|---|\n" +
    row("heap after a collection", "heapMb") +
    row("resident memory", "rssMb") +
    row("journal", "journalMb")
  );
}
