import { type Fixed, fixed, fixedText, ZERO } from "../domain/fixed.ts";
import { harderStep, isAtLeast, type RiskStep } from "../domain/risk-step.ts";
import type { CarriedRung } from "../orders/carried.ts";
import { countedAnew, type Measured } from "./measured.ts";
import { limitOf, stepAt, type TriggerSettings, triggerText } from "./trigger.ts";
import { type TriggerName, triggerNames, triggers } from "./triggers.ts";

/** The settings of each trigger of one scope; a trigger that is left out is off. */
export type TriggerValues = { readonly [Name in TriggerName]?: TriggerSettings | undefined };

/** What a trigger holds at present. */
export interface Standing {
  readonly step: RiskStep;
  /** Undefined at `normal`. */
  readonly trigger: TriggerName | undefined;
  readonly sinceMs: number;
  /** A sentence for people; empty at `normal`. */
  readonly text: string;
}

/** One trigger came to another step. */
export interface StepChange {
  readonly trigger: TriggerName;
  readonly step: RiskStep;
  readonly before: RiskStep;
  readonly text: string;
}

/** What a resume would do to one trigger. */
export interface ResumeOutlook {
  readonly before: RiskStep;
  readonly after: RiskStep;
  /** Such as `session loss of the bot`. */
  readonly origin: string;
  /** A sentence with the measured value and the limit of the step `after`. */
  readonly text: string;
}

interface Rung {
  readonly name: TriggerName;
  settings: TriggerSettings;
  step: RiskStep;
  sinceMs: number;
  /** An operator alone leaves this step and harder ones, whatever `recoverAfterMs` says; undefined when there is none. */
  lastsFrom: RiskStep | undefined;
  /** The value with which the step was reached. */
  reachedWith: Fixed | undefined;
  /** An earlier run reached the step. */
  isOfEarlierRun: boolean;
  /** For how long the value has been below the step; undefined while it is not. */
  belowMs: number | undefined;
  /** When the value was last known. */
  followedMs: number;
}

/**
 * No more than this of the time between two evaluations counts towards `recoverAfter`, since nothing was measured meanwhile. The ladder
 * is evaluated once a second, on a busy machine less often.
 */
const COUNTED_GAP_MS = 5_000;

/**
 * The steps of one scope, a strategy or the whole bot. Each trigger climbs when its value reaches a limit and stays there until an
 * operator resumes, or until `recoverAfter` has passed; the hardest step of all triggers counts.
 */
export class RiskLadder {
  readonly #scope: string;
  readonly #rungs: Rung[] = [];
  #standing: Standing = { step: "normal", trigger: undefined, sinceMs: 0, text: "" };

  /** `scope`: "the bot", or the strategy's name, for sentences. */
  constructor(scope: string, values: TriggerValues) {
    this.#scope = scope;
    for (const name of triggerNames) {
      const settings = values[name];
      if (settings !== undefined) this.add(name, settings);
    }
  }

  /** Adds a trigger, or harder steps to a trigger that it has: its `recoverAfterMs` is that of the milder steps alone. */
  add(name: TriggerName, settings: TriggerSettings): void {
    const rung = this.#rungs.find((one) => one.name === name);
    if (rung !== undefined) {
      const steps = [...rung.settings.steps, ...settings.steps];
      rung.settings = { ...rung.settings, steps };
      rung.lastsFrom = settings.steps[0]?.step;
      return;
    }
    this.#rungs.push({
      name,
      settings,
      step: "normal",
      sinceMs: 0,
      lastsFrom: undefined,
      reachedWith: undefined,
      isOfEarlierRun: false,
      belowMs: undefined,
      followedMs: 0,
    });
  }

  /** This step of a trigger is added later. Until then a restored one holds; an operator alone leaves it. */
  expect(name: TriggerName, step: RiskStep): void {
    if (!this.#rungs.some((one) => one.name === name)) this.add(name, { steps: [] });
    for (const rung of this.#rungs) if (rung.name === name) rung.lastsFrom = step;
  }

  /** Without triggers it is always at `normal`. */
  get isEmpty(): boolean {
    return this.#rungs.length === 0;
  }

  get standing(): Standing {
    return this.#standing;
  }

  /** Climbs and recovers by the present values. Returns what changed. */
  evaluate(measured: Measured, nowMs: number): readonly StepChange[] {
    const changes: StepChange[] = [];
    for (const rung of this.#rungs) {
      const measuredNow = triggers[rung.name].value(measured, rung.settings);
      if (isUnknownAmount(rung.name, measuredNow)) continue;
      // Too few fills: a paused strategy has none, and still has to recover.
      const value = measuredNow ?? ZERO;
      const { step: before } = rung;
      this.#follow(rung, value, nowMs);
      if (rung.step !== before) changes.push(this.#change(rung, before, value));
    }
    if (changes.length > 0) this.#stand();
    return changes;
  }

  /**
   * Leaves every step that the present values do not reach; those of amounts that are not known only with `isForced`. Returns what
   * changed.
   */
  resume(measured: Measured, nowMs: number, isForced = false): readonly StepChange[] {
    const changes: StepChange[] = [];
    for (const rung of this.#rungs) {
      const { step: before } = rung;
      if (before === "normal") continue;
      const value = triggers[rung.name].value(measured, rung.settings);
      if (!isForced && isUnknownAmount(rung.name, value)) continue;
      const reached = value === undefined ? undefined : stepAt(rung.settings, value);
      move(rung, reached ?? "normal", value, nowMs);
      if (rung.step !== before) changes.push(this.#change(rung, before, value));
    }
    if (changes.length > 0) this.#stand();
    return changes;
  }

  /** What a resume, or one by force, would do at present to each trigger that holds a step or would reach one. */
  outlook(measured: Measured, isForced = false): readonly ResumeOutlook[] {
    const outlooks: ResumeOutlook[] = [];
    const now = isForced ? countedAnew(measured) : measured;
    for (const { name, settings, step } of this.#rungs) {
      const value = triggers[name].value(now, settings);
      // An amount that is not known keeps its step.
      const known = value === undefined ? undefined : stepAt(settings, value);
      const after = !isForced && isUnknownAmount(name, value) ? step : (known ?? "normal");
      if (step === "normal" && after === "normal") continue;
      outlooks.push({
        before: step,
        after,
        origin: `${triggers[name].title} of ${this.#scope}`,
        text: this.#sentence(name, settings, { step: after, value }),
      });
    }
    return outlooks;
  }

  /** The first trigger with a step from `reduceOnly` on whose amount cannot be valued, such as `day loss of the bot`. */
  unmeasured(measured: Measured): string | undefined {
    const found = this.#rungs.find(
      ({ name, settings }) =>
        settings.steps.some(({ step }) => isAtLeast(step, "reduceOnly")) &&
        isUnknownAmount(name, triggers[name].value(measured, settings)),
    );
    return found === undefined ? undefined : `${triggers[found.name].title} of ${this.#scope}`;
  }

  /** The steps that the next run has to begin with. */
  saved(): readonly CarriedRung[] {
    return this.#rungs.flatMap(({ name, step, sinceMs, reachedWith }) =>
      step === "normal"
        ? []
        : [
            {
              trigger: name,
              step,
              sinceMs,
              ...(reachedWith === undefined ? {} : { value: fixedText(reachedWith) }),
            },
          ],
    );
  }

  /** Continues with the steps of an earlier run. A trigger that is no longer configured is forgotten. */
  restore(rungs: readonly CarriedRung[]): void {
    for (const { trigger, step, sinceMs, value } of rungs) {
      const rung = this.#rungs.find(({ name }) => name === trigger);
      if (rung === undefined) continue;
      move(rung, step, value === undefined ? undefined : fixed(value), sinceMs);
      rung.isOfEarlierRun = true;
    }
    this.#stand();
  }

  #follow(rung: Rung, value: Fixed, nowMs: number): void {
    const { step, settings, lastsFrom, belowMs, followedMs } = rung;
    const gapMs = Math.min(nowMs - followedMs, COUNTED_GAP_MS);
    rung.followedMs = nowMs;
    const reached = stepAt(settings, value) ?? "normal";
    if (isAtLeast(reached, step)) {
      move(rung, reached, value, nowMs);
      return;
    }
    rung.belowMs = belowMs === undefined ? 0 : belowMs + gapMs;
    const { recoverAfterMs } = settings;
    if (recoverAfterMs === undefined || rung.belowMs < recoverAfterMs) return;
    if (lastsFrom !== undefined && isAtLeast(step, lastsFrom)) return;
    move(rung, reached, value, nowMs);
  }

  #change({ name, settings, step }: Rung, before: RiskStep, value: Fixed | undefined): StepChange {
    const text =
      step === "normal"
        ? `${triggers[name].title} of ${this.#scope}: back to normal`
        : this.#sentence(name, settings, { step, value });
    return { trigger: name, step, before, text };
  }

  #sentence(
    name: TriggerName,
    settings: TriggerSettings,
    {
      step,
      value,
      isOfEarlierRun = false,
    }: {
      readonly step: RiskStep;
      readonly value: Fixed | undefined;
      readonly isOfEarlierRun?: boolean;
    },
  ): string {
    const { title, unit } = triggers[name];
    const limit = step === "normal" ? undefined : limitOf(settings, step);
    const now = value === undefined ? "not known" : triggerText(unit, value);
    const from = limit === undefined ? "" : `, limit ${triggerText(unit, limit)}`;
    if (!isOfEarlierRun || value === undefined) {
      return `the ${title} of ${this.#scope} is ${now}${from}`;
    }
    const was = `the ${title} of ${this.#scope} was ${now} in an earlier run`;
    const wasLower = limit !== undefined && value < limit;
    return wasLower ? `${was}; the limit is ${triggerText(unit, limit)} now` : `${was}${from}`;
  }

  /** Finds the hardest step; of several triggers the first one counts. */
  #stand(): void {
    let hardest: Rung | undefined;
    for (const rung of this.#rungs) {
      if (rung.step === "normal") continue;
      if (hardest === undefined || harderStep(hardest.step, rung.step) !== hardest.step) {
        hardest = rung;
      }
    }
    this.#standing =
      hardest === undefined
        ? { step: "normal", trigger: undefined, sinceMs: 0, text: "" }
        : {
            step: hardest.step,
            trigger: hardest.name,
            sinceMs: hardest.sinceMs,
            text: this.#sentence(hardest.name, hardest.settings, {
              step: hardest.step,
              value: hardest.reachedWith,
              isOfEarlierRun: hardest.isOfEarlierRun,
            }),
          };
  }
}

/** An amount that cannot be valued, for want of a mid. Other triggers are without a value when too little has happened. */
function isUnknownAmount(name: TriggerName, value: Fixed | undefined): boolean {
  return value === undefined && triggers[name].unit === "quote";
}

function move(rung: Rung, step: RiskStep, value: Fixed | undefined, atMs: number): void {
  rung.belowMs = undefined;
  if (rung.step === step) return;
  rung.step = step;
  rung.sinceMs = atMs;
  rung.reachedWith = value;
  rung.isOfEarlierRun = false;
}
