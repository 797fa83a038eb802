import { harderStep, isAtLeast, type RiskStep } from "../domain/risk-step.ts";
import type { CarriedItem } from "../orders/carried.ts";
import { riskSchema } from "../risk/settings.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import { triggerNames } from "../risk/triggers.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import type { Scenario } from "./scenario.ts";

interface Held {
  readonly step: RiskStep;
  /** The latest time at which the step can have begun, by the bot's clock. */
  readonly sinceMs: number;
}

/** The steps of the bot's risk ladder as it told its observers, over all runs. */
export class LadderSteps {
  readonly #triggers: TriggerValues;
  readonly #held = new Map<string, Held>();
  #mayLackSteps = false;

  constructor({ triggers }: Scenario) {
    this.#triggers = riskSchema.parse({ triggers }).triggers;
  }

  /** Call when a new process of the bot starts. `mayLackSteps`: observers and journal may know different steps. */
  runStarts(mayLackSteps: boolean): void {
    this.#mayLackSteps = mayLackSteps;
  }

  /** Returns a sentence when a step was left too early. */
  entry({ batch: { inputs, nowMs }, notes }: ObservedEntry): string | undefined {
    let problem: string | undefined;
    let isResumed = false;
    for (const input of inputs) {
      if (input.type === "operator" && input.command === "resume") isResumed = true;
      else if (input.type === "restored" && this.#mayLackSteps) {
        this.#continue(input.restored.carried);
      }
    }
    // The bot's clock may go back.
    for (const [trigger, { step, sinceMs }] of this.#held) {
      if (nowMs < sinceMs) this.#held.set(trigger, { step, sinceMs: nowMs });
    }
    for (const note of notes) {
      if (note.type !== "risk" || note.of !== undefined) continue;
      const { trigger, step } = note;
      const before = this.#held.get(trigger);
      this.#held.set(trigger, { step, sinceMs: nowMs });
      if (isResumed || before === undefined || isAtLeast(step, before.step)) continue;
      const recoverAfterMs = this.#recoverAfterMs(trigger);
      if (recoverAfterMs !== undefined && nowMs - before.sinceMs >= recoverAfterMs) continue;
      problem = `${trigger} went from ${before.step} to ${step} by itself after ${nowMs - before.sinceMs} ms`;
    }
    return problem;
  }

  get hardest(): RiskStep {
    let hardest: RiskStep = "normal";
    for (const { step } of this.#held.values()) hardest = harderStep(hardest, step);
    return hardest;
  }

  /** Takes over the steps that the journal has, since a run knows no others. */
  #continue(carried: readonly CarriedItem[]): void {
    this.#held.clear();
    for (const item of carried) {
      if (item.type !== "risk" || item.strategy !== undefined) continue;
      for (const { trigger, step, sinceMs } of item.rungs) {
        this.#held.set(trigger, { step, sinceMs });
      }
    }
  }

  #recoverAfterMs(trigger: string): number | undefined {
    const name = triggerNames.find((known) => known === trigger);
    return name === undefined ? undefined : this.#triggers[name]?.recoverAfterMs;
  }
}
