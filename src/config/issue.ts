import { z } from "zod";
import { nearest } from "../base/nearest.ts";

/** A zod issue in plain words: what is wrong and what is allowed. Values are not repeated, since they may be secrets. */
export interface PlainIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Whether the issue concerns the value or the key itself. */
  readonly at: "value" | "key";
}

/** Replaces zod's own messages, so that only messages written in a schema are used as they are. */
const UNWORDED = "\u0000";

/** Validates a value and describes every issue in plain words. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
):
  | { readonly ok: true; readonly value: z.output<Schema> }
  | { readonly ok: false; readonly issues: readonly PlainIssue[] } {
  const result = schema.safeParse(value, { reportInput: true, error: markUnworded });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, issues: result.error.issues.flatMap((issue) => wordIssue(issue, [])) };
}

/** Also adds the known keys of a strict object, since its schema is available only here. */
function markUnworded(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== "unrecognized_keys") return UNWORDED;
  const definition: unknown = issue.inst?._zod.def;
  return UNWORDED + JSON.stringify(knownKeys(definition));
}

function knownKeys(definition: unknown): readonly string[] {
  if (typeof definition !== "object" || definition === null) return [];
  const shape: unknown = Reflect.get(definition, "shape");
  return typeof shape === "object" && shape !== null ? Object.keys(shape) : [];
}

function wordIssue(issue: z.core.$ZodIssue, prefix: PlainIssue["path"]): PlainIssue[] {
  const path = [
    ...prefix,
    ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part)),
  ];
  if (issue.code === "unrecognized_keys") return wordUnknownKeys(issue, path);
  if (issue.code === "invalid_union") {
    const branch = branchOf(issue);
    if (branch !== undefined) return branch.flatMap((inner) => wordIssue(inner, path));
  }
  if (issue.code === "invalid_element" || issue.code === "invalid_key") {
    const inner = issue.issues.flatMap((each) => wordIssue(each, path));
    return inner.map((each) => ({ ...each, at: issue.code === "invalid_key" ? "key" : each.at }));
  }
  const message = issue.message.startsWith(UNWORDED) ? word(issue) : issue.message;
  return [{ path, message, at: "value" }];
}

function wordUnknownKeys(
  issue: z.core.$ZodIssueUnrecognizedKeys,
  path: PlainIssue["path"],
): PlainIssue[] {
  const known: readonly string[] = issue.message.startsWith(UNWORDED)
    ? z.array(z.string()).parse(JSON.parse(issue.message.slice(1)))
    : [];
  return issue.keys.map((key) => {
    const guess = nearest(key, known);
    const allowed =
      guess !== undefined
        ? `, did you mean ${guess}?`
        : known.length > 0
          ? `, allowed: ${known.join(", ")}`
          : "";
    return { path: [...path, key], message: `is not a known key${allowed}`, at: "key" };
  });
}

/** The branch of a union that was meant: the only one that expects this type of value; undefined if there is none. */
function branchOf(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  if (!issue.message.startsWith(UNWORDED)) return undefined;
  const meant = issue.errors.filter(
    (branch) =>
      !branch.some(
        (inner) =>
          inner.path.length === 0 &&
          (inner.code === "invalid_type" ||
            inner.code === "invalid_value" ||
            (inner.code === "invalid_union" && branchOf(inner) === undefined)),
      ),
  );
  return meant.length === 1 ? meant[0] : undefined;
}

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "a map of keys",
  record: "a map of keys",
  array: "a list",
  tuple: "a list",
  null: "null",
};

function kindOf(name: string): string {
  return kinds[name] ?? name;
}

function kindOfValue(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" && !Number.isFinite(value)) return "not a finite number";
  return typeof value === "boolean" ? "true or false" : kindOf(typeof value);
}

function word(issue: z.core.$ZodIssue): string {
  const allowed = allowedText(issue);
  if (issue.input === undefined && isAboutPresence(issue)) {
    return allowed === undefined ? "is missing" : `is missing, must be ${allowed}`;
  }
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "int" && typeof issue.input === "number") {
        return "is not a whole number";
      }
      return `is ${kindOfValue(issue.input)}, must be ${allowed}`;
    case "invalid_value": {
      const guess =
        typeof issue.input === "string"
          ? nearest(issue.input, issue.values.map(String))
          : undefined;
      const suggestion = guess === undefined ? "" : `; did you mean ${guess}?`;
      return `is not allowed, must be ${allowed}${suggestion}`;
    }
    case "too_small":
      return `is too ${smallWord(issue.origin)}, ${issue.inclusive === false ? "must be above" : "at least"} ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `is too ${bigWord(issue.origin)}, ${issue.inclusive === false ? "must be below" : "at most"} ${issue.maximum}${unitOf(issue.origin)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return issue.pattern === undefined
        ? `is not a valid ${issue.format}`
        : `is of the wrong form, must match ${issue.pattern}`;
    default:
      return allowed === undefined ? "is not valid" : `is not valid, must be ${allowed}`;
  }
}

function isAboutPresence(issue: z.core.$ZodIssue): boolean {
  return (
    issue.code === "invalid_type" ||
    issue.code === "invalid_value" ||
    issue.code === "invalid_union"
  );
}

/** Describes the allowed values; undefined when the issue does not contain them. */
function allowedText(issue: z.core.$ZodIssue): string | undefined {
  const parts = new Set(allowedParts(issue));
  return parts.size === 0 ? undefined : oneOf([...parts]);
}

function allowedParts(issue: z.core.$ZodIssue): readonly string[] {
  switch (issue.code) {
    case "invalid_type":
      return [kindOf(issue.expected)];
    case "invalid_value":
      return issue.values.map(String);
    case "invalid_union":
      if ("options" in issue && Array.isArray(issue.options)) return issue.options.map(String);
      return issue.errors.flatMap(([first]) => (first === undefined ? [] : allowedParts(first)));
    default:
      return [];
  }
}

function oneOf(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} or ${names[names.length - 1]}`;
}

function smallWord(origin: string): string {
  return origin === "string" || origin === "array" ? "short" : "small";
}

function bigWord(origin: string): string {
  return origin === "string" || origin === "array" ? "long" : "large";
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" || origin === "set" ? " entries" : "";
}
