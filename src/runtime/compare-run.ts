import { errorText } from "../base/error-text.ts";
import { isCommand, type Command } from "../domain/command.ts";
import type { Entry } from "../journal/entry.ts";
import { firstUnequal } from "../journal/verify.ts";
import type { KernelConfig } from "../kernel/config.ts";
import { Kernel, type Step } from "../kernel/kernel.ts";
import type { DeniedNote } from "./order-story.ts";
import { observed, type Decided } from "./rerun.ts";

/** The first step in which other settings give other commands. */
export interface ChangedStep {
  readonly seq: number;
  readonly timeMs: number;
  /** Whose command is the first that differs; undefined when the re-run failed. */
  readonly strategy: string | undefined;
  /** The commands of the step as recorded, and as the other settings give them. */
  readonly recorded: readonly Command[];
  readonly changed: readonly Command[];
  /** What the strategies wanted under the other settings, and what its risk rules denied. */
  readonly decided: readonly Decided[];
  readonly denied: readonly DeniedNote[];
  /** Why the re-run could not go on; undefined when it could. */
  readonly failure: string | undefined;
}

export interface Compared {
  readonly batches: number;
  /** Number of commands that were the same. */
  readonly commands: number;
  readonly firstDifference: ChangedStep | null;
}

/**
 * Feeds the inputs of a recorded run to a kernel with other settings, up to the first step with other commands. After it the recorded
 * inputs are no longer what would have happened, so there is no second one.
 */
export function compareRun(entries: Iterable<Entry>, config: KernelConfig): Compared {
  const decided: Decided[] = [];
  const kernel = new Kernel({ ...config, strategies: observed(config.strategies, decided) });
  let batches = 0;
  let commands = 0;
  for (const item of entries) {
    if (item.type !== "batch") continue;
    const { batch, effects } = item.entry;
    decided.length = 0;
    const recorded = effects.filter(isCommand);
    const again = stepOrFailure(kernel, batch);
    const changed = typeof again === "string" ? [] : again.effects.filter(isCommand);
    const at = firstUnequal(recorded, changed);
    if (typeof again === "string" || at !== undefined) {
      const of = recorded[at ?? 0] ?? changed[at ?? 0];
      const firstDifference = {
        seq: batch.seq,
        timeMs: batch.nowMs,
        strategy: of?.strategy,
        recorded,
        changed,
        decided: [...decided],
        denied:
          typeof again === "string" ? [] : again.notes.filter((note) => note.type === "denied"),
        failure: typeof again === "string" ? again : undefined,
      };
      return { batches, commands, firstDifference };
    }
    batches += 1;
    commands += recorded.length;
  }
  return { batches, commands, firstDifference: null };
}

/** A kernel that other settings have led elsewhere may refuse a recorded input; then the message. */
function stepOrFailure(kernel: Kernel, batch: Parameters<Kernel["step"]>[0]): Step | string {
  try {
    return kernel.step(batch);
  } catch (thrown) {
    return errorText(thrown);
  }
}
