/** What a word of a file means; undefined for a word that is not known. */

export function flagOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : undefined;
}

export function sideOf(text: string): "buy" | "sell" | undefined {
  const word = text.trim().toLowerCase();
  if (word === "buy" || word === "bid") return "buy";
  return word === "sell" || word === "ask" ? "sell" : undefined;
}
