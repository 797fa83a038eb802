import { parseFixed, fixedText } from "../domain/fixed.ts";
import { parseDurationMs } from "../domain/setting.ts";
import { expandHome } from "../platform/user-folder.ts";
import { utcUs } from "../domain/utc-time.ts";
import { dayOf } from "../orders/day-start.ts";

/** One `--option` of a command. `parse` throws a plain Error about what is allowed. */
export interface Option<Value, Fallback = Value> {
  /** `--limit N`, `--json`, `--market A=B...` */
  readonly flags: string;
  readonly about: string;
  readonly isRepeated?: boolean;
  /** May be 0x and 64 hex digits; elsewhere such a word is taken for a private key. */
  readonly takesHash?: boolean;
  /** Value when the option is not given; shown in the help unless undefined or false. */
  readonly fallback: Fallback;
  parse(text: string): Value;
}

/** One positional argument: `<market>`, `[config]` or `<files...>`. */
export interface Argument<Value> {
  readonly form: string;
  readonly about: string;
  /** See `Option`. */
  readonly takesHash?: boolean;
  parse(text: string): Value;
}

/** An empty text is nearly always a variable of the shell that is not set; as a path it would even be the root folder. */
function someText(written: string): string {
  if (written.trim() === "") throw new Error("must not be empty");
  return written;
}

/** Any text that is not empty. */
export function text(flags: string, about: string): Option<string, undefined> {
  return { flags, about, fallback: undefined, parse: someText };
}

/** As `text`. */
export function textOr(flags: string, about: string, fallback: string): Option<string> {
  return { flags, about, fallback, parse: someText };
}

/** The option or argument as a path, of which `~` at the beginning is the home folder, as in YAML: shells keep it in `--out=~/x`. */
export function asPath<Given extends { parse(text: string): unknown }>(given: Given): Given {
  return { ...given, parse: (written: string) => given.parse(expandHome(written)) };
}

/** True when given; a `--no-…` flag is false when given. */
export function flag(flags: string, about: string): Option<boolean> {
  return { flags, about, fallback: flags.startsWith("--no-"), parse: () => true };
}

/** May be given several times; returns all values in order. */
export function repeated(flags: string, about: string): Option<readonly string[]> {
  return { flags, about, isRepeated: true, fallback: [], parse: (written) => [someText(written)] };
}

export function integer<const Fallback extends number | undefined = undefined>(
  flags: string,
  about: string,
  range: { readonly min: number; readonly max?: number; readonly fallback?: Fallback },
): Option<number, Fallback> {
  const { min, max = Number.MAX_SAFE_INTEGER } = range;
  const parse = (written: string): number => {
    const value = /^\d{1,16}$/.test(written) ? Number(written) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new Error(`must be a whole number from ${min} to ${max}`);
  };
  return { flags, about, fallback: range.fallback as Fallback, parse };
}

/** A duration such as `500ms`, `20s`, `5m` or `2h`, parsed to milliseconds. */
export function durationOption(flags: string, about: string): Option<number, undefined> {
  return {
    flags,
    about,
    fallback: undefined,
    parse: (written) => {
      const durationMs = parseDurationMs(written);
      if (durationMs === undefined || durationMs > 0x7fff_ffff) {
        throw new Error("must be a duration such as 500ms, 20s, 5m or 2h");
      }
      return durationMs;
    },
  };
}

/** Parses to milliseconds since the epoch. `last` ends the error message. */
export function parseTime(written: string, last = "or milliseconds since 1970"): number {
  const isNumber = /^\d{1,16}$/.test(written);
  const timeMs = isNumber ? Number(written) : Math.floor((utcUs(written) ?? Number.NaN) / 1000);
  // The last time that a date can have: 8.64e15 ms.
  if (Number.isFinite(new Date(timeMs).getTime())) return timeMs;
  throw new Error(
    `must be a time such as 2026-01-31T12:00:00Z, UTC unless it ends with a zone such as +02:00, ${last}`,
  );
}

/** A point in time as ISO text or milliseconds since the epoch, parsed to milliseconds. */
export function timeOption(flags: string, about: string): Option<number, undefined> {
  return { flags, about, fallback: undefined, parse: (written) => parseTime(written) };
}

/** Milliseconds since the epoch, given the time of the clock from which an age such as `2h` counts. */
export type TimeFrom = (nowMs: number) => number;

/** As `timeOption`, but also accepts an age such as `2h`. */
export function pastTimeOption(flags: string, about: string): Option<TimeFrom, undefined> {
  return {
    flags,
    about,
    fallback: undefined,
    parse: (written) => {
      const agoMs = parseDurationMs(written);
      if (agoMs !== undefined) return (nowMs) => nowMs - agoMs;
      const timeMs = parseTime(written, "milliseconds since 1970, or an age such as 2h");
      return () => timeMs;
    },
  };
}

/** A UTC day such as `2026-01-31`, parsed to days since 1970. */
export function dayOption(about: string): Option<number, undefined> {
  return {
    flags: "--day <day>",
    about,
    fallback: undefined,
    parse: (written) => {
      const timeMs = /^\d{4}-\d{2}-\d{2}$/.test(written) ? Date.parse(written) : Number.NaN;
      if (Number.isNaN(timeMs)) throw new Error("must be a UTC day such as 2026-01-31");
      return dayOf(timeMs);
    },
  };
}

export function argument(form: string, about: string): Argument<string> {
  return { form, about, parse: someText };
}

export function optionalArgument(form: string, about: string): Argument<string | undefined> {
  return { form, about, parse: someText };
}

/** One of a few words, in any case. */
export function wordArgument<const Word extends string>(
  form: string,
  about: string,
  words: readonly [Word, ...Word[]],
): Argument<Word> {
  return { form, about: `${about}: ${words.join(", ")}`, parse: parseWord(words) };
}

/** One or more values. */
export function argumentList(form: string, about: string): Argument<readonly string[]> {
  return { form, about, parse: (written) => [someText(written)] };
}

/** An option with one of a few words, in any case; the first is the default. */
export function oneOf<Word extends string>(
  flags: string,
  about: string,
  words: readonly [Word, ...Word[]],
): Option<Word> {
  return { flags, about, fallback: words[0], parse: parseWord(words) };
}

function parseWord<Word extends string>(words: readonly Word[]) {
  return (written: string): Word => {
    const found = words.find((word) => word === written.toLowerCase());
    if (found === undefined) throw new Error(`must be ${words.join(" or ")}`);
    return found;
  };
}

/** One of a few words, in any case. */
export function choice<Word extends string>(
  form: string,
  about: string,
  words: readonly Word[],
): Argument<Word> {
  return { form, about, parse: parseWord(words) };
}

/** A positive amount or price, as decimal text without trailing zeros. */
export function decimal(form: string, about: string): Argument<string> {
  return {
    form,
    about,
    parse: (written) => {
      const value = parseFixed(written);
      if (value === undefined || value <= 0n)
        throw new Error("must be a plain decimal above 0, such as 0.5");
      return fixedText(value);
    },
  };
}
