import { err, ok, type Result } from "../base/result.ts";

/** What a JSON text from outside may hold at most. */
export interface JsonLimits {
  /** Length of the text; the transport cuts it off at as many bytes. */
  readonly bytes: number;
  /** Fields of objects and elements of lists, at all depths together. */
  readonly values: number;
}

/** How deep objects and lists may be nested. The interface needs 5: message, params, result, bids, level. */
const DEPTH_MAX = 16;
/** Parsing a text of this length takes microseconds whatever it holds, so its shape is not checked first. */
const SHORT = 4096;

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;

/**
 * Parses a JSON text from outside. Size and shape are checked first, since parsing a large text of many small values holds the event
 * loop for seconds. The error is a predicate without its subject, e.g. `is not JSON`.
 */
export function parseJson(text: string, limits: JsonLimits): Result<unknown, string> {
  if (text.length > limits.bytes) return err(`is longer than ${limits.bytes} characters`);
  const problem = text.length > SHORT ? shapeProblem(text, limits.values) : undefined;
  if (problem !== undefined) return err(problem);
  try {
    return ok(JSON.parse(text));
  } catch {
    return err("is not JSON");
  }
}

/** Counts without parsing: a comma or an opening bracket for each value, about a millisecond for a megabyte. */
function shapeProblem(text: string, valuesMax: number): string | undefined {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
      if (at < 0) return "is not JSON";
    } else if (code === COMMA) {
      values += 1;
    } else if (code === 91 || code === 123) {
      values += 1;
      depth += 1;
      if (depth > DEPTH_MAX) return `is nested more than ${DEPTH_MAX} deep`;
    } else if (code === 93 || code === 125) {
      depth -= 1;
    }
    if (values > valuesMax) return `has more than ${valuesMax} values`;
  }
  return undefined;
}

/** Index of the quote that ends the string at `start`; -1 when there is none. */
function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (before > start && text.charCodeAt(before) === BACKSLASH) before -= 1;
    // An even number of backslashes escapes only themselves.
    if ((at - 1 - before) % 2 === 0) return at;
  }
  return -1;
}
