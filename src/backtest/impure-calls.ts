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
 */
export function pureStrategy(definition: StrategyDefinition, name: string): StrategyDefinition {
  guardImpure(refuse);
  return wrappedStrategy(definition, (hook, call) => {
    calling = `${name}: ${hook}`;
    refusal = undefined;
    try {
      return call();
    } finally {
      calling = undefined;
      rethrow();
    }
  });
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
  refusal ??= new TouchlineError(
    "STRATEGY_IMPURE",
    `${caller} calls ${call} at ${callerPlace()}: ${impureAdvice[kind]}`,
  );
  calling = caller;
  throw refusal;
}

const stackFrame = /\(?((?:file:\/\/)?\/[^()]*?):(\d+):(\d+)\)?$/;
const DEEPEST = 50;

/** File, line and column of the innermost caller outside of this file, Node and packages; of any caller when there is none. */
function callerPlace(): string {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = DEEPEST;
  const { stack = "" } = new Error("a place");
  Error.stackTraceLimit = before;
  const own = [import.meta.url, guardFile].map(showPath);
  const places = stack.split("\n").flatMap((line) => {
    const [, file, lineNumber, column] = stackFrame.exec(line.trim()) ?? [];
    if (file === undefined || own.includes(showPath(file))) return [];
    return [{ file, place: `${showPath(file)}:${lineNumber}:${column}` }];
  });
  const users = places.find(({ file }) => !file.includes("/node_modules/"));
  return (users ?? places[0])?.place ?? "an unknown place";
}
