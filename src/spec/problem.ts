import type { z } from "zod";

/**
 * Describes the first issue of a failed validation as one sentence without a full stop: the path from `root`, then the problem,
 * e.g. `result.0.price is missing`. With zod's `reportInput` it ends with the value that was given.
 */
export function problemOf(error: z.ZodError, root: string): string {
  const issue = error.issues[0];
  if (issue === undefined) return `${root} is not valid`;
  return describe(issue, [root]);
}

function describe(issue: z.core.$ZodIssue, outer: readonly PropertyKey[]): string {
  const path = [...outer, ...issue.path];
  const name = path.map(String).join(".");
  switch (issue.code) {
    case "unrecognized_keys":
      return `${name} has a field that is not known: ${issue.keys[0]?.slice(0, 40)}`;
    case "invalid_type":
      return issue.input === undefined && issue.message.endsWith("undefined")
        ? `${name} is missing`
        : `${name} is not of type ${issue.expected}${given(issue)}`;
    // zod's own message would put a capital letter in mid-sentence.
    case "too_big":
      if (issue.origin === "array") return `${name} has more than ${issue.maximum} elements`;
      if (issue.origin === "string") return `${name} is longer than ${issue.maximum} characters`;
      return `${name} is above ${issue.maximum}`;
    case "too_small":
      if (issue.origin === "array") return `${name} has fewer than ${issue.minimum} elements`;
      if (issue.origin === "string") return `${name} is shorter than ${issue.minimum} characters`;
      return `${name} is below ${issue.minimum}`;
    case "invalid_value":
      return `${name} is not one of ${issue.values.map(String).join(", ")}${given(issue)}`;
    case "invalid_union": {
      // The last form of a union is the one on the wire.
      const inner = issue.errors.at(-1)?.[0];
      if (inner !== undefined) return describe(inner, path);
      return `${name} is missing or has a form that is not known`;
    }
    default:
      return `${name} ${issue.message}${given(issue)}`;
  }
}

/** The refused value, if it is plain and short. */
function given(issue: z.core.$ZodIssue): string {
  if (!("input" in issue) || (typeof issue.input === "object" && issue.input !== null)) return "";
  const shown = typeof issue.input === "string" ? JSON.stringify(issue.input) : String(issue.input);
  return shown.length > 44 ? "" : ` (it is ${shown})`;
}
