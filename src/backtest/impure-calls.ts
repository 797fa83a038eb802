import { TouchlineError } from "../base/error.ts";
import { showPath } from "../config/show-path.ts";
import { impureAdvice } from "../config/impure-advice.ts";
import { guardFile, guardImpure, type ImpureKind } from "../platform/guard-impure.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { wrappedStrategy } from "../runtime/wrapped-strategy.ts";

/**
 * A strategy whose calls may not reach a clock, randomness, a file, the network or a timer: the first attempt throws TouchlineError
 * `STRATEGY_IMPURE` with file and line, also when the strategy catches it. The functions of this process are replaced once, by ones that
 * do the same as before outside of such a call. For replays and tests; a live bot's strategies are not slowed down.
 * Any other error of the strategy gets file and line in its message.
 */
export function pureStrategy(definition: StrategyDefinition, name: string): StrategyDefinition {
  guardStrategies();
  return wrappedStrategy(definition, (hook, call) => {
    calling = `${name}: ${hook}`;
    refusal = undefined;
    try {
      return call();
    } catch (thrown) {
      throw withPlace(thrown);
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

/** The error with the place that threw it; what is no error, or has no stack, as it is. */
function withPlace(thrown: unknown): unknown {
  if (refusal !== undefined || !(thrown instanceof Error)) return thrown;
  const place = placeOf(framesOf(thrown));
  return place === undefined
    ? thrown
    : new Error(`${thrown.message || thrown.name} (${place})`, { cause: thrown });
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
      `${caller} calls ${call} at ${placeOf(frames) ?? "an unknown place"}: ${impureAdvice[kind]}`,
    );
  } finally {
    calling = caller;
  }
  throw refusal;
}

/** Node writes to the console, or loads a module that a package imports late: a replay repeats both. */
const harmless = /node:internal\/(?:console|modules)\//;
const stackFrame = /(?:\(|\bat )((?:file:\/\/)?\/[^()]*?):(\d+):(\d+)\)?$/;
const DEEPEST = 50;

/** The stack between this file's call of the strategy and its call of this file, innermost first. */
function framesOfCall(): readonly string[] {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = DEEPEST;
  const frames = framesOf(new Error("a place"));
  Error.stackTraceLimit = before;
  const isOwn = (frame: string): boolean => ownFiles.includes(showPath(fileOf(frame) ?? ""));
  const inner = frames.slice(frames.findIndex((frame) => !isOwn(frame)));
  const end = inner.findIndex(isOwn);
  return end < 0 ? inner : inner.slice(0, end);
}

function framesOf({ stack = "" }: Error): readonly string[] {
  return stack.split("\n").filter((line) => /^\s+at /.test(line));
}

const ownFiles = [import.meta.url, guardFile].map(showPath);

function fileOf(frame: string): string | undefined {
  return stackFrame.exec(frame.trim())?.[1];
}

/** File, line and column of the innermost caller outside of Node and packages; of any caller when there is none. */
function placeOf(frames: readonly string[]): string | undefined {
  const places = frames.flatMap((frame) => {
    const [, file, line, column] = stackFrame.exec(frame.trim()) ?? [];
    return file === undefined ? [] : [{ file, place: `${showPath(file)}:${line}:${column}` }];
  });
  const users = places.find(({ file }) => !file.includes("/node_modules/"));
  return (users ?? places[0])?.place;
}
