import { expect } from "vitest";
import type { ConformanceCase } from "./conformance-case.ts";
import type { Json, VenueClient } from "./client.ts";

export {
  oneOf,
  orderType as isOrderType,
  side as isSide,
  status as isStatus,
} from "../fuzz/strict-frame.ts";

/** The required form of field values, written without the codecs of `src/spec`. */
export type FieldCheck = (value: unknown) => boolean;

const matches =
  (form: RegExp): FieldCheck =>
  (value) =>
    typeof value === "string" && form.test(value);

export const isText: FieldCheck = (value) => typeof value === "string";
export const isDecimal = matches(/^\d+(\.\d+)?$/);
export const isHash = matches(/^0x[0-9a-f]{64}$/);
export const isAddress = matches(/^0x[0-9a-fA-F]{40}$/);
export const isMarketId = matches(/^[^_\s]+_[^_\s]+$/);
export const isIsoTime: FieldCheck = (value) =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) && /^\d{4}-\d\d-\d\dT/.test(value);
export const isInteger: FieldCheck = (value) => Number.isSafeInteger(value);
export const isNumber: FieldCheck = (value) => typeof value === "number" && Number.isFinite(value);
export const isFlag: FieldCheck = (value) => typeof value === "boolean";
/** Milliseconds of this decade, or the one before or after; seconds have three digits less. */
export const isMs: FieldCheck = (value) => isInteger(value) && Number(value) > 1.4e12;
export const isSec: FieldCheck = (value) =>
  isInteger(value) && Number(value) > 1.4e9 && Number(value) < 1e11;
export type FieldRow = readonly [field: string, meaning: string, check: FieldCheck];

/** Records as a venue gives them, and what all their fields have to be. */
export interface Seen {
  readonly found: readonly Json[];
  readonly are: readonly Json[];
}

/** Each field of `rows` has its form and its value in every record; addresses compare in any case. */
export function expectFields(rows: readonly FieldRow[], { found, are }: Seen): void {
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBe(are.length);
  for (const [at, one] of found.entries()) {
    for (const [field, , check] of rows) {
      const wanted = are[at] ?? {};
      expect(Object.keys(wanted)).toContain(field);
      expect({ at, [field]: comparable(one[field]), fits: check(one[field]) }).toEqual({
        at,
        [field]: comparable(wanted[field]),
        fits: true,
      });
    }
  }
}

function comparable(value: unknown): unknown {
  return isAddress(value) ? String(value).toLowerCase() : value;
}

/** Numbered cases from `first` on: each row of a table is one, asked of a live venue. */
export function fieldCases(
  section: string,
  rows: readonly FieldRow[],
  see: (client: VenueClient) => Promise<Seen>,
  first = 1,
): ConformanceCase[] {
  return rows.map((row, at) => ({
    id: `C-${section}-${String(first + at).padStart(2, "0")}`,
    line: `${row[0]}: ${row[1]}`,
    run: async (client) => expectFields([row], await see(client)),
  }));
}
