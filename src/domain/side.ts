/** Order side as in responses (§2.1). */
export type Side = "BUY" | "SELL";

export const sides: readonly Side[] = ["BUY", "SELL"];

export function opposite(side: Side): Side {
  return side === "BUY" ? "SELL" : "BUY";
}

/** Side in transactions (§2.1): 0 buy, 1 sell. */
export function sideCode(side: Side): 0 | 1 {
  return side === "BUY" ? 0 : 1;
}
