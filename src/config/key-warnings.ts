import { type BotKey, type Mode, modes } from "./bot-key.ts";

/** The keys that a file, or a flag over it, sets. */
export function writtenKeys(value: unknown, keys: readonly BotKey[]): readonly BotKey[] {
  return keys.filter(({ path }) => isWritten(value, path));
}

function isWritten(value: unknown, path: string): boolean {
  let found = [value];
  for (const part of path.split(".")) {
    const isList = part.endsWith("[]");
    found = found.flatMap((each) => {
      const inner = property(each, isList ? part.slice(0, -2) : part);
      if (inner === undefined) return [];
      return isList && Array.isArray(inner) ? inner : [inner];
    });
  }
  return found.length > 0;
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** A sentence for each key that has another name now. */
export function renamedKeyWarnings(written: readonly BotKey[]): readonly string[] {
  return written.flatMap(({ path, renamedTo }) =>
    renamedTo === undefined
      ? []
      : [
          `${path} is called ${renamedTo.join(" and ")} now; the old name is read until the next minor version.`,
        ],
  );
}

const modeTexts: Readonly<Record<Mode, string>> = {
  run: "`run`",
  "dry-run": "`run --dry-run`",
  paper: "`paper`",
  replay: "`replay`",
};

/** One sentence about the written keys that have no effect in a mode although one might expect it; all modes unless named. */
export function idleKeyWarnings(
  written: readonly BotKey[],
  keys: readonly BotKey[],
  asked: readonly Mode[] = modes,
): readonly string[] {
  const byKeys = new Map<string, Mode[]>();
  for (const mode of asked) {
    const isIdle = (key: BotKey): boolean => key.isQuiet !== true && !key.modes.includes(mode);
    const idle = written.filter(isIdle).map(({ path }) => {
      const block = path.replace(/[.[].*$/, "");
      const whole = keys.filter((key) => key.path.startsWith(`${block}.`));
      return whole.length > 0 && whole.every(isIdle) ? block : path;
    });
    if (idle.length === 0) continue;
    const names = [...new Set(idle)].join(", ");
    byKeys.set(names, [...(byKeys.get(names) ?? []), mode]);
  }
  return [...byKeys].map(
    ([names, where]) =>
      `no effect in ${where.map((mode) => modeTexts[mode]).join(" and ")}: ${names}.`,
  );
}
