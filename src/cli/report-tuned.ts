import type { Tuned } from "../control/protocol.ts";
import type { Terminal } from "./terminal.ts";

/** Says what came of new parameters: the strategies that have other ones now, and what those say about them. */
export function reportTuned({ changed, warnings }: Tuned, terminal: Terminal): void {
  for (const warning of warnings) terminal.warn(warning);
  terminal.say(
    changed.length === 0
      ? "No parameter differs; nothing was changed."
      : `New parameters: ${changed.join(", ")}.`,
  );
}
