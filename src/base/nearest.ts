/** The known name most similar to a mistyped one; undefined when none is similar enough. */
export function nearest(written: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(written.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** `, did you mean NAME` for the end of a sentence about a name that is not known; empty when none is similar enough. */
export function suggestion(written: string, known: Iterable<string>): string {
  const guess = nearest(written, known);
  return guess === undefined ? "" : `, did you mean ${guess}`;
}

/** Number of insertions, deletions, substitutions and swaps of neighbours (optimal string alignment; L. Boytsov, 2011). */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      let cost = Math.min(
        cell(last, column - 1) + (isSame ? 0 : 1),
        cell(last, column) + 1,
        cell(current, column - 1) + 1,
      );
      const isSwap =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      if (isSwap) cost = Math.min(cost, cell(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, right.length);
}

function cell(row: readonly number[], at: number): number {
  return row[at] ?? Number.POSITIVE_INFINITY;
}
