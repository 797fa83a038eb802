/** Whether a flag of a file is set, by its text; undefined for a text that means neither. */
export function flagOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : undefined;
}

/** The taker's side of a trade, by its text; undefined for any other, also for `bid`, which may mean either. */
export function takerSideOf(text: string): "buy" | "sell" | undefined {
  const word = text.trim().toLowerCase();
  return word === "buy" || word === "sell" ? word : undefined;
}

/** The side of a level of a book, by its text; undefined for a text that means neither. */
export function levelSideOf(text: string): "bid" | "ask" | undefined {
  const word = text.trim().toLowerCase();
  if (word === "buy" || word === "bid") return "bid";
  return word === "sell" || word === "ask" ? "ask" : undefined;
}
