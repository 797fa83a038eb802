import { Violation } from "./target.ts";

/** The longest text that the kernel may get; ids are far shorter. */
const TEXT_MAX = 1_000;
/** Amounts of 64 digits at 26 decimals. */
const AMOUNT_MAX = 10n ** (64n + 26n);

/** Throws when a value that a decoder made for the kernel cannot exist: no number, a negative one, an endless text or list. */
export function expectPossible(value: unknown, path = "input"): void {
  const impossible = (what: string): never => {
    throw new Violation("accepted-invalid", `${path} is ${what}`);
  };
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (typeof value === "number") {
    if (!Number.isFinite(value) || value < 0) impossible(String(value));
    if (/Id$|Number$|Ms$/.test(name) && !Number.isSafeInteger(value)) impossible(String(value));
    // Beyond, `Date` has no text for it, and a log line would throw.
    if (name.endsWith("Ms")) new Date(value).toISOString();
  } else if (typeof value === "bigint") {
    const isFee = /fee$/i.test(name);
    if ((value < 0n && !isFee) || value > AMOUNT_MAX || -value > AMOUNT_MAX) {
      impossible("an impossible amount");
    }
  } else if (typeof value === "string") {
    if (value.length > TEXT_MAX) impossible(`a text of ${value.length} characters`);
  } else if (value instanceof Float64Array) {
    if (value.length % 2 !== 0 || value.length > 20_000) impossible(`${value.length} numbers`);
    for (const number of value) {
      if (!Number.isFinite(number) || number < 0) impossible(`a list with ${number}`);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) expectPossible(inner, `${path}.${key}`);
  }
}
