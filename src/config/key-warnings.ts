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

/** A sentence for each key that has another name now. Where both names are set, the new one counts. */
function renamedKeyWarnings(written: readonly BotKey[]): readonly string[] {
  const set = new Set(written.map(({ path }) => path));
  return written.flatMap(({ path, renamedTo }) => {
    if (renamedTo === undefined) return [];
    const names = renamedTo.join(" and ");
    return renamedTo.every((name) => set.has(name))
      ? [`${path} has no effect, since its new name ${names} is set too.`]
      : [`${path} is called ${names} now; the old name is read until the next minor version.`];
  });
}

const modeTexts: Readonly<Record<Mode, string>> = {
  run: "`run`",
  "dry-run": "`run --dry-run`",
  paper: "`paper`",
  replay: "`replay`",
};

/** What people should know of the keys that a configuration sets before it runs in a mode; in any mode unless one is named. */
export function keyWarnings(
  { written }: { readonly written: readonly BotKey[] },
  mode?: Mode,
): readonly string[] {
  return [
    ...renamedKeyWarnings(written),
    ...idleKeyWarnings(written, mode === undefined ? modes : [mode]),
  ];
}

/** Which of the written keys have no effect in a mode although one might expect it: a sentence for the modes that share a list. */
function idleKeyWarnings(written: readonly BotKey[], asked: readonly Mode[]): readonly string[] {
  const byKeys = new Map<string, Mode[]>();
  for (const mode of asked) {
    const isIdle = (key: BotKey): boolean => key.isQuiet !== true && !key.modes.includes(mode);
    const idle = written.filter(isIdle).map(({ path }) => {
      const block = path.replace(/[.[].*$/, "");
      const whole = allBotKeys.filter((key) => key.path.startsWith(`${block}.`));
      return whole.length > 0 && whole.every(isIdle) ? block : path;
    });
    if (idle.length === 0) continue;
    const names = [...new Set(idle)].join(", ");
    byKeys.set(names, [...(byKeys.get(names) ?? []), mode]);
  }
  return [...byKeys].map(
    ([names, where]) =>
      `these keys have no effect in ${where.map((mode) => modeTexts[mode]).join(" and ")}: ${names}.`,
  );
}
