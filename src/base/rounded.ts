/** Cuts off what comes after eight decimals, for people; JSON output has the exact text. */
export function rounded(amount: string): string {
  const [whole = "", fraction = ""] = amount.split(".");
  const shown = fraction.slice(0, 8).replace(/0+$/, "");
  if (shown !== "") return `${whole}.${shown}`;
  return whole === "-0" ? "0" : whole;
}
