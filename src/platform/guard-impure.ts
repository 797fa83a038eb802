import crypto from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** What no replay could repeat: the time, randomness, files and the network, and work for later. */
export type ImpureKind = "time" | "random" | "data" | "later";

type OnCall = (call: string, kind: ImpureKind) => void;

/** This file, to leave its frames out of a stack. */
export const guardFile = import.meta.url;

let onCall: OnCall | undefined;

/**
 * Calls `called` before each call of a function of this process by which code could learn what no replay could repeat; it may throw. The
 * functions are replaced once, and do the same as before; a later `called` takes the place of the earlier one.
 */
export function guardImpure(called: OnCall): void {
  const isInstalled = onCall !== undefined;
  onCall = called;
  if (isInstalled) return;
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
        onCall?.(`${prefix}${name}()`, kind);
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
      onCall?.("Date()", "time");
      return Reflect.apply(target, self, args);
    },
    construct(target, args, newTarget) {
      if (args.length === 0) onCall?.("new Date()", "time");
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
}
