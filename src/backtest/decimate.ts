/**
 * At most about `most` of the rows, in order: the first and last one, and of each stretch those with the least and the greatest value of
 * each measure. So no extreme that a chart would show is lost.
 */
export function decimate<Row>(
  rows: readonly Row[],
  most: number,
  measures: readonly ((row: Row) => number | null)[],
): readonly Row[] {
  if (rows.length <= most) return rows;
  const stretch = Math.ceil((rows.length * 2 * measures.length) / most);
  const kept = new Set<number>([0, rows.length - 1]);
  for (let from = 0; from < rows.length; from += stretch) {
    const part = rows.slice(from, from + stretch);
    for (const measure of measures) {
      for (const at of extremesOf(part.map(measure))) kept.add(from + at);
    }
  }
  return rows.filter((_, at) => kept.has(at));
}

/** Indices of the least and the greatest value; none when there are no values. */
function extremesOf(values: readonly (number | null)[]): readonly number[] {
  let least = -1;
  let greatest = -1;
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    if (least < 0 || value < (values[least] ?? value)) least = at;
    if (greatest < 0 || value > (values[greatest] ?? value)) greatest = at;
  }
  return least < 0 ? [] : [least, greatest];
}
