import { allBotKeys } from "./bot-config.ts";
import { type BotKey, type Mode, modes } from "./bot-key.ts";

/** The keys that a file, or a flag over it, sets. */
export function writtenKeys(value: unknown): readonly BotKey[] {
  return allBotKeys.filter(({ path }) => isWritten(value, path));
}

function isWritten(value: unknown, path: string): boolean {
  let found = [value];
  for (const part of path.split(".")) {
    const isList = part.endsWith("[]");
    found = found.flatMap((each) => {
      if (part === "*") return Object.values(Object(each));
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

const modeTexts: Readonly<Record<Mode, string>> = {
  run: "`run`",
  "dry-run": "`run --dry-run`",
  paper: "`paper`",
  replay: "`replay`",
};

/**
 * Which of the keys that a configuration sets have no effect in a mode, or in any mode unless one is named, although one might expect it: a
 * sentence for the modes that share a list.
 */
export function keyWarnings(
  { written }: { readonly written: readonly BotKey[] },
  mode?: Mode,
): readonly string[] {
  const byKeys = new Map<string, Mode[]>();
  for (const asked of mode === undefined ? modes : [mode]) {
    const isIdle = (key: BotKey): boolean => key.isQuiet !== true && !key.modes.includes(asked);
    const idle = written.filter(isIdle).map(({ path }) => {
      const block = path.replace(/[.[].*$/, "");
      const whole = allBotKeys.filter((key) => key.path.startsWith(`${block}.`));
      return whole.length > 0 && whole.every(isIdle) ? block : path;
    });
    if (idle.length === 0) continue;
    const names = [...new Set(idle)].join(", ");
    byKeys.set(names, [...(byKeys.get(names) ?? []), asked]);
  }
  return [...byKeys].map(
    ([names, where]) =>
      `these keys have no effect in ${where.map((one) => modeTexts[one]).join(" and ")}: ${names}.`,
  );
}
