import { fixedText } from "../domain/fixed.ts";
import type { Note } from "../kernel/note.ts";

type DeniedNote = Extract<Note, { type: "denied" }>;

/** What one risk rule denied in a run. */
export interface DenialRow {
  readonly rule: string;
  /** A quote counts once per decision, a stop order once until it is placed. */
  readonly count: number;
  /** The first one in words, with its value and the limit. */
  readonly first: string;
}

/** Counts denials by risk rule. */
export class Denials {
  readonly #rows = new Map<string, DenialRow>();

  note(note: DeniedNote): void {
    const { side, price, quantity, reason } = note;
    const { rule, actual, limit } = reason;
    const first = `${side} ${fixedText(quantity)} at ${price}: ${actual}, limit ${limit}`;
    this.#add({ rule, count: 1, first });
  }

  /** Most frequent first. */
  rows(): readonly DenialRow[] {
    return [...this.#rows.values()].sort((left, right) => right.count - left.count);
  }

  static sum(all: readonly Denials[]): Denials {
    const sum = new Denials();
    for (const denials of all) for (const row of denials.#rows.values()) sum.#add(row);
    return sum;
  }

  #add({ rule, count, first }: DenialRow): void {
    const row = this.#rows.get(rule);
    this.#rows.set(rule, { rule, count: (row?.count ?? 0) + count, first: row?.first ?? first });
  }
}

/** The rows as text, such as `27 by price-collar, first BUY 1 at 70: 30%, limit 5%`. */
export function denialsText(rows: readonly DenialRow[]): string {
  return rows.map(({ rule, count, first }) => `${count} by ${rule}, first ${first}`).join("; ");
}
