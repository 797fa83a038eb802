import { fixedText } from "../domain/fixed.ts";
import type { AccountFold, Movement } from "../metrics/account-fold.ts";
import { dayText, PnlRows, type StatementRow, statementRow } from "../metrics/account-rows.ts";
import type { AccountJournal } from "./account-journal.ts";

export type StatementMovement = Readonly<Record<(typeof movementColumns)[number], string>>;

/** The columns of `movements.csv`. */
export const movementColumns = ["time", "type", "token", "amount", "txHash"] as const;

/** The columns of `positions.csv`; `fees` as `0.1 of token 1`. */
export const positionColumns = [
  "strategy",
  "market",
  "openingPosition",
  "closingPosition",
  "corrected",
  "fills",
  "fillsByHand",
  "volumeBase",
  "volumeQuote",
  "fees",
  "realised",
  "openingUnrealised",
  "closingUnrealised",
  "pnl",
  "quoteToken",
  "openingMid",
  "closingMid",
  "uptimeBid",
  "uptimeAsk",
  "uptimeObligation",
] as const satisfies readonly (keyof StatementRow)[];

/** A row of `positions.csv`. */
export function positionRow(row: StatementRow): readonly (string | number | null)[] {
  return positionColumns.map((name) => {
    const value = row[name];
    if (typeof value !== "object" || value === null) return value;
    return Object.entries(value)
      .map(([token, fee]) => `${fee} of token ${token}`)
      .join("; ");
  });
}

/** Everything that a statement of a day says besides its fills. Amounts are decimal text. */
export function statementOf(
  fold: AccountFold,
  dayNumber: number,
  { runs, currency }: AccountJournal,
) {
  const day = fold.at(dayNumber);
  const before = fold.days[fold.days.indexOf(day) - 1];
  const spanMs = fold.spanMs(day);
  return {
    day: dayText(dayNumber),
    account: runs.at(-1)?.header.kernel.owner ?? null,
    /** How much of the day was measured, pauses between runs included, and for how long of that a bot ran; uptimes are shares of the former. */
    spanMs,
    ranMs: day.ranMs,
    positions: [...day.parts.values()]
      .map((part) => statementRow(part, day, before, spanMs))
      .filter(isShown),
    movements: [...day.movements.values()].map(movementRow),
    total: new PnlRows([day], { by: "strategy", before, currency }).total,
  };
}
export type DayStatement = ReturnType<typeof statementOf>;

/** A strategy that is gone and flat has nothing to say. */
function isShown({
  openingPosition,
  closingPosition,
  fills,
  uptimeBid,
  uptimeAsk,
}: StatementRow): boolean {
  const isUp = (uptimeBid ?? 0) + (uptimeAsk ?? 0) > 0;
  return openingPosition !== "0" || closingPosition !== "0" || fills > 0 || isUp;
}

function movementRow({ timeMs, type, tokenId, amount, txHash }: Movement): StatementMovement {
  const time = new Date(timeMs).toISOString();
  return { time, type, token: tokenId, amount: fixedText(amount), txHash };
}
