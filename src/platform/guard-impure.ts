import childProcess from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import timers from "node:timers";
import timersPromises from "node:timers/promises";

/** What no replay could repeat: the time, randomness, files, the network, and work for later. */
export type ImpureKind = "time" | "random" | "data" | "network" | "later";

type OnCall = (call: string, kind: ImpureKind) => void;

/** This file, to leave its frames out of a stack. */
export const guardFile = import.meta.url;

let onCall: OnCall | undefined;

const cryptoCalls =
  "randomUUID randomBytes randomInt randomFill randomFillSync getRandomValues generateKey generateKeySync generateKeyPair generateKeyPairSync createECDH".split(
    " ",
  );
/** Names that `node:fs` and its promises share; most also end with `Sync`. */
const fileCalls = "open readFile readdir readlink realpath stat lstat statfs access opendir".split(
  " ",
);

/**
 * Calls `called` before each call of a function of this process by which code could learn what no replay could repeat; it may throw. The
 * functions are replaced once, and do the same as before; a later `called` takes the place of the earlier one.
 */
export function guardImpure(called: OnCall): void {
  const isInstalled = onCall !== undefined;
  onCall = called;
  if (isInstalled) return;
  guard(Date, "Date.", ["now"], "time");
  guard(performance, "performance.", ["now", "mark"], "time");
  const usage = ["cpuUsage", "memoryUsage", "resourceUsage"];
  guard(process, "process.", ["hrtime", "uptime", ...usage], "time");
  guard(process.hrtime, "process.hrtime.", ["bigint"], "time");
  guard(os, "os.", ["uptime", "loadavg", "freemem"], "time");
  guard(Math, "Math.", ["random"], "random");
  guard(globalThis.crypto, "crypto.", ["randomUUID", "getRandomValues"], "random");
  guard(crypto, "crypto.", cryptoCalls, "random");
  guard(fs, "fs.", [...fileCalls, ...fileCalls.map((name) => `${name}Sync`)], "data");
  guard(fs, "fs.", ["existsSync", "createReadStream", "readSync"], "data");
  guard(fs.promises, "fs.promises.", fileCalls, "data");
  const processCalls = [
    "exec",
    "execFile",
    "spawn",
    "fork",
    "execSync",
    "execFileSync",
    "spawnSync",
  ];
  guard(childProcess, "child_process.", processCalls, "data");
  guard(globalThis, "", ["fetch"], "network");
  const timerCalls = ["setTimeout", "setInterval", "setImmediate"];
  guard(globalThis, "", [...timerCalls, "queueMicrotask"], "later");
  guard(timers, "timers.", timerCalls, "later");
  guard(timersPromises, "timers.promises.", timerCalls, "later");
  guard(process, "process.", ["nextTick"], "later");
  guardFormat(Intl.DateTimeFormat);
  globalThis.Date = guardedDate(Date);
  Reflect.defineProperty(Date.prototype, "constructor", { value: Date });
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

/** Without a time, a format formats the present one. */
function guardFormat({ prototype }: typeof Intl.DateTimeFormat): void {
  const { get } = Object.getOwnPropertyDescriptor(prototype, "format") ?? {};
  const guarded = (format: (...args: never[]) => unknown, name: string) =>
    new Proxy(format, {
      apply(target, self, args) {
        if (args[0] === undefined) onCall?.(`Intl.DateTimeFormat.${name}()`, "time");
        return Reflect.apply(target, self, args);
      },
    });
  if (get === undefined) return;
  Object.defineProperty(prototype, "format", {
    configurable: true,
    get(this: Intl.DateTimeFormat) {
      return guarded(Reflect.apply(get, this, []), "format");
    },
  });
  Object.defineProperty(prototype, "formatToParts", {
    configurable: true,
    writable: true,
    value: guarded(prototype.formatToParts, "formatToParts"),
  });
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
