import crypto from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { TouchlineError } from "../base/error.ts";
import { showPath } from "../config/show-path.ts";
import { impureAdvice, type ImpureKind } from "../config/impure-advice.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { wrappedStrategy } from "../runtime/wrapped-strategy.ts";

/**
 * A strategy whose calls may not reach a clock, randomness, a file, the network or a timer: the first attempt throws TouchlineError
 * `STRATEGY_IMPURE` with file and line, also when the strategy catches it. The functions of this process are replaced once, by ones that
 * do the same as before outside of such a call. For replays and tests; a live bot's strategies are not slowed down.
 */
export function pureStrategy(definition: StrategyDefinition, name: string): StrategyDefinition {
  install();
  return wrappedStrategy(definition, (hook, call) => {
    calling = `${name}: ${hook}`;
    refusal = undefined;
    try {
      const result = call();
      if (refusal !== undefined) throw refusal;
      return result;
    } catch (thrown) {
      throw refusal ?? thrown;
    } finally {
      calling = undefined;
    }
  });
}

/** The strategy and its function while it is called. */
let calling: string | undefined;
/** The first forbidden call in it. */
let refusal: TouchlineError | undefined;
let isInstalled = false;

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
  const own = showPath(import.meta.url);
  const places = stack.split("\n").flatMap((line) => {
    const [, file, lineNumber, column] = stackFrame.exec(line.trim()) ?? [];
    if (file === undefined || showPath(file) === own) return [];
    return [{ file, place: `${showPath(file)}:${lineNumber}:${column}` }];
  });
  const users = places.find(({ file }) => !file.includes("/node_modules/"));
  return (users ?? places[0])?.place ?? "an unknown place";
}

/** Replaces the functions by which a strategy could learn what a replay cannot repeat. */
function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  guard(Date, "Date.", ["now"], "time");
  guard(performance, "performance.", ["now"], "time");
  guard(process, "process.", ["hrtime", "uptime"], "time");
  guard(process.hrtime, "process.hrtime.", ["bigint"], "time");
  guard(Math, "Math.", ["random"], "random");
  guard(globalThis.crypto, "crypto.", ["randomUUID", "getRandomValues"], "random");
  const random = ["randomUUID", "randomBytes", "randomInt", "randomFillSync", "getRandomValues"];
  guard(crypto, "crypto.", random, "random");
  const reads = ["readFileSync", "readFile", "readdirSync", "readdir", "existsSync", "statSync"];
  guard(fs, "fs.", [...reads, "stat", "createReadStream"], "data");
  guard(fs.promises, "fs.promises.", ["readFile", "readdir", "stat", "open"], "data");
  guard(globalThis, "", ["fetch"], "data");
  guard(globalThis, "", ["setTimeout", "setInterval", "setImmediate"], "later");
  globalThis.Date = guardedDate(Date);
  // Modules that import these functions by name have them, too.
  syncBuiltinESMExports();
}

function guard(owner: object, prefix: string, names: readonly string[], kind: ImpureKind): void {
  for (const name of names) {
    const original: unknown = Reflect.get(owner, name);
    if (typeof original !== "function") continue;
    const guarded = new Proxy(original, {
      apply(target, self, args) {
        refuse(`${prefix}${name}()`, kind);
        return Reflect.apply(target, self, args) as unknown;
      },
    });
    const enumerable = Object.getOwnPropertyDescriptor(owner, name)?.enumerable ?? true;
    // False for the few that Node fixes; `check` still names them.
    Reflect.defineProperty(owner, name, {
      value: guarded,
      configurable: true,
      enumerable,
      writable: true,
    });
  }
}

/** A Date that converts times, and refuses to tell the present one. */
function guardedDate(original: DateConstructor): DateConstructor {
  return new Proxy(original, {
    apply(target, self, args) {
      refuse("Date()", "time");
      return Reflect.apply(target, self, args);
    },
    construct(target, args, newTarget) {
      if (args.length === 0) refuse("new Date()", "time");
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
}
