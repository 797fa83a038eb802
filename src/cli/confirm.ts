import { usageError } from "./exit-code.ts";
import { flag } from "./option.ts";

export const yesOption = flag("--yes", "do not ask");

/** Asks a question on the terminal. Throws a usage error when the answer is no, and when there is no terminal to ask on. */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw usageError(
      `${question} There is no terminal to ask on, so nothing was done.`,
      "Give --yes to go ahead without the question.",
    );
  }
  if (!(await saysYes(question))) throw usageError("Canceled: nothing was done.");
}

/** Asks a question on the terminal, which must be one. */
export async function saysYes(question: string, initialValue = false): Promise<boolean> {
  const prompts = await import("@clack/prompts");
  // Prompts go to stderr, since stdout is for results.
  const answer = await prompts.confirm({ message: question, initialValue, output: process.stderr });
  if (prompts.isCancel(answer)) throw usageError("Canceled: nothing was done.");
  return answer;
}
