import { TouchlineError } from "../base/error.ts";

/** One thing that is wrong with a configuration, and where. */
export interface Problem {
  /** As the user named it; for an override the flag, `--set risk.maxPosition`. */
  readonly file: string;
  /** From 1; undefined when the problem has no place in a file. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** `strategies[0].params.size`; empty for the file as a whole. */
  readonly key: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
}

export type ConfigPath = readonly (string | number)[];

/** `["strategies", 0, "params"]` as `strategies[0].params`. */
export function keyText(path: ConfigPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}

/** `file:line:column: key: what is wrong, what is allowed`. */
export function problemLine(problem: Problem): string {
  const place =
    problem.line === undefined
      ? problem.file
      : `${problem.file}:${problem.line}:${problem.column ?? 1}`;
  return problem.key === ""
    ? `${place}: ${problem.message}`
    : `${place}: ${problem.key}: ${problem.message}`;
}

/** `CONFIG_INVALID`, with every problem that was found; nothing was started. */
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
      hint: "Mend what is named and start again; nothing was started.",
    });
    this.problems = sorted;
  }
}
