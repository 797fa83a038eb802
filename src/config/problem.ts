import { TouchlineError } from "../base/error.ts";

/** A problem in a configuration, with its location. */
export interface Problem {
  /** File name as the user gave it; for an override the flag, `--set risk.maxPosition`. */
  readonly file: string;
  /** Line and column, counted from 1; undefined when the problem has no location in a file. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** `strategies[0].params.size`; empty for the whole file. */
  readonly key: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
}

export type ConfigPath = readonly (string | number)[];

/** Formats `["strategies", 0, "params"]` as `strategies[0].params`. */
export function keyText(path: ConfigPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}

/** Formats `file:line:column: key: what is wrong, what is allowed`. */
export function problemLine(problem: Problem): string {
  const place =
    problem.line === undefined
      ? problem.file
      : `${problem.file}:${problem.line}:${problem.column ?? 1}`;
  return problem.key === ""
    ? `${place}: ${problem.message}`
    : `${place}: ${problem.key}: ${problem.message}`;
}

/** `CONFIG_INVALID` with every problem that was found. */
export class ConfigError extends TouchlineError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const sorted = [...problems].sort(
      (left, right) =>
        Number(left.line === undefined) - Number(right.line === undefined) ||
        (left.line ?? 0) - (right.line ?? 0) ||
        (left.column ?? 0) - (right.column ?? 0),
    );
    super("CONFIG_INVALID", sorted.map(problemLine).join("\n"), {
      context: { problems: sorted.length },
      hint: "Correct these problems and try again; nothing was done.",
    });
    this.problems = sorted;
  }
}
