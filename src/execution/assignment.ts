/**
 * Pairs rows with columns at the least total cost: as many pairs as possible first, then the cheapest set of them.
 * `cost(row, column)` is finite and at least 0, or undefined where the two do not fit. Returns the column of each row,
 * -1 for a row without a partner; among columns of equal cost it takes the first. Shortest augmenting paths with potentials
 * (Kuhn, 1955; Jonker and Volgenant, 1987): O(rows × (rows + columns)²) at worst, linear in the table without competition.
 */
export function assign(
  rows: number,
  columns: number,
  cost: (row: number, column: number) => number | undefined,
): number[] {
  const alone = new Array<number>(rows).fill(-1);
  const isTaken = new Array<boolean>(columns).fill(false);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (cost(row, column) === undefined) continue;
      if (alone[row] !== -1 || isTaken[column] === true) return contested(rows, columns, cost);
      alone[row] = column;
      isTaken[column] = true;
    }
  }
  return alone;
}

/** The general case, where rows compete for columns. It is rare, so its tables are made only then. */
function contested(
  rows: number,
  columns: number,
  cost: (row: number, column: number) => number | undefined,
): number[] {
  const table = new Float64Array(rows * columns);
  let most = 0;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const value = cost(row, column);
      table[row * columns + column] = value ?? Infinity;
      if (value !== undefined) most = Math.max(most, value);
    }
  }
  return solve(table, rows, columns, (most + 1) * (rows + 1));
}

/** Each row has an extra column of its own that means "no partner" and costs more than all pairs together. */
function solve(table: Float64Array, rows: number, columns: number, aloneCost: number): number[] {
  const width = columns + rows;
  const rowPotential = new Float64Array(rows);
  const columnPotential = new Float64Array(width);
  const rowOf = new Int32Array(width).fill(-1);
  const cameFrom = new Int32Array(width);
  const least = new Float64Array(width);
  const done = new Uint8Array(width);

  for (let start = 0; start < rows; start += 1) {
    least.fill(Infinity);
    done.fill(0);
    let row = start;
    let column = -1;
    do {
      const own = columns + row;
      const base = at(rowPotential, row);
      let delta = Infinity;
      let next = own;
      for (let candidate = 0; candidate < width; candidate += 1) {
        if (done[candidate] === 1) continue;
        let direct = Infinity;
        if (candidate < columns) direct = at(table, row * columns + candidate);
        else if (candidate === own) direct = aloneCost;
        const reduced = direct - base - at(columnPotential, candidate);
        if (reduced < at(least, candidate)) {
          least[candidate] = reduced;
          cameFrom[candidate] = column;
        }
        if (at(least, candidate) < delta) {
          delta = at(least, candidate);
          next = candidate;
        }
      }
      rowPotential[start] = at(rowPotential, start) + delta;
      for (let candidate = 0; candidate < width; candidate += 1) {
        if (done[candidate] === 1) {
          columnPotential[candidate] = at(columnPotential, candidate) - delta;
          const holder = at(rowOf, candidate);
          rowPotential[holder] = at(rowPotential, holder) + delta;
        } else {
          least[candidate] = at(least, candidate) - delta;
        }
      }
      column = next;
      done[column] = 1;
      row = at(rowOf, column);
    } while (row !== -1);
    while (column !== -1) {
      const previous = at(cameFrom, column);
      rowOf[column] = previous === -1 ? start : at(rowOf, previous);
      column = previous;
    }
  }

  const columnOf = new Array<number>(rows).fill(-1);
  for (let column = 0; column < columns; column += 1) {
    const row = at(rowOf, column);
    if (row !== -1) columnOf[row] = column;
  }
  return columnOf;
}

/** An element at an index that the loops above keep in range. */
function at(values: Float64Array | Int32Array, index: number): number {
  return values[index] ?? 0;
}
