/** Whether a flag of a file is set, by its text; undefined for a text that means neither. */
export function flagOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : undefined;
}

/** The side of a row, by its text; undefined for a text that means neither. */
export function sideOf(text: string): "buy" | "sell" | undefined {
  const word = text.trim().toLowerCase();
  if (word === "buy" || word === "bid") return "buy";
  return word === "sell" || word === "ask" ? "sell" : undefined;
}
