import { Decimal } from "../domain/decimal.ts";

const LONGEST = 60;

/** A value of any kind as short text for a message. Never throws: a strategy in plain JavaScript may return anything. */
export function shown(value: unknown): string {
  try {
    if (typeof value === "string") return JSON.stringify(shortened(value, LONGEST));
    if (Array.isArray(value)) return "a list";
    if (typeof value === "function") return "a function";
    if (typeof value !== "object" || value === null) return shortened(String(value), LONGEST);
    return Decimal.isDecimal(value) ? shortened(value.toString(), LONGEST) : "an object";
  } catch {
    return "a value that cannot be read";
  }
}

/** The message of a thrown value of any kind. Never throws. */
export function thrownText(thrown: unknown, where: string): string {
  try {
    const message = thrown instanceof Error ? thrown.message : thrown;
    if (typeof message === "string" && message !== "") return shortened(message, 500);
  } catch {
    // A proxy or a getter that throws.
  }
  return `${where} threw ${shown(thrown)}`;
}

/** What a strategy threw, with its stack where it has one. Never throws. */
export function faultOf(
  thrown: unknown,
  where: string,
): { readonly message: string; readonly stack: string | undefined } {
  let stack: unknown;
  try {
    stack = thrown instanceof Error ? thrown.stack : undefined;
  } catch {
    // A getter that throws.
  }
  return {
    message: thrownText(thrown, where),
    stack: typeof stack === "string" ? shortened(stack, 4_000) : undefined,
  };
}

export function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
