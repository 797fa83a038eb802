import { TouchlineError } from "../base/error.ts";
import { showPath } from "../config/show-path.ts";
import { fileOfFrame, framesOf, placeOfFrames, stoppedAt } from "../config/stack-frames.ts";
import { impureAdvice } from "../config/impure-advice.ts";
import { startCallWatchdog, watchedCall } from "../platform/call-watchdog.ts";
import { guardFile, guardImpure, type ImpureKind } from "../platform/guard-impure.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { wrappedStrategy } from "../runtime/wrapped-strategy.ts";

/**
 * A strategy whose calls may not reach a clock, randomness, a file, the network or a timer: the first attempt throws TouchlineError
 * `STRATEGY_IMPURE` with file and line, also when the strategy catches it. The functions of this process are replaced once, by ones that
 * do the same as before outside of such a call. For replays and tests; a live bot's strategies are not slowed down.
 * A call that does not return ends the process (`watchedCall`).
 */
export function pureStrategy(definition: StrategyDefinition, name: string): StrategyDefinition {
  guardStrategies();
  startCallWatchdog(stoppedAt);
  return wrappedStrategy(definition, (hook, call) => {
    calling = `${name}: ${hook}`;
    refusal = undefined;
    try {
      return watchedCall(calling, call);
    } finally {
      calling = undefined;
      rethrow();
    }
  });
}

/** Replaces the functions before `pureStrategy` does: call it before a plugin is loaded, which may keep a function for later. */
export function guardStrategies(): void {
  guardImpure(refuse);
}

/** The strategy and its function while it is called. */
let calling: string | undefined;
/** The first forbidden call in it. */
let refusal: TouchlineError | undefined;

/** Throws what a strategy may have caught. */
function rethrow(): void {
  if (refusal !== undefined) throw refusal;
}

function refuse(call: string, kind: ImpureKind): void {
  if (calling === undefined) return;
  const caller = calling;
  // Making the error may call what is guarded.
  calling = undefined;
  try {
    const frames = framesOfCall();
    if (frames.some((frame) => harmless.test(frame))) return;
    refusal ??= new TouchlineError(
      "STRATEGY_IMPURE",
      `${caller} calls ${call} at ${placeOfFrames(frames) ?? "an unknown place"}: ${impureAdvice[kind]}`,
    );
  } finally {
    calling = caller;
  }
  throw refusal;
}

/** Node writes to the console, or loads a module that a package imports late: a replay repeats both. */
const harmless = /node:internal\/(?:console|modules)\//;
const DEEPEST = 50;

/** The stack between this file's call of the strategy and its call of this file, innermost first. */
function framesOfCall(): readonly string[] {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = DEEPEST;
  const frames = framesOf(new Error("a place"));
  Error.stackTraceLimit = before;
  const isOwn = (frame: string): boolean => ownFiles.includes(showPath(fileOfFrame(frame) ?? ""));
  const inner = frames.slice(frames.findIndex((frame) => !isOwn(frame)));
  const end = inner.findIndex(isOwn);
  return end < 0 ? inner : inner.slice(0, end);
}

const ownFiles = [import.meta.url, guardFile].map(showPath);
