import { readFileSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";

/** Where the process that this one has replaced left the texts that it has checked, by file. */
export const CHECKED_FILES = "TOUCHLINE_CHECKED_FILES";

const texts = new Map(Object.entries(readTexts()));
const taken = new Set<string>();

function readTexts(): Record<string, string> {
  const place = process.env[CHECKED_FILES];
  // Not for children, which read the disk.
  delete process.env[CHECKED_FILES];
  if (place === undefined) return {};
  const found: Record<string, string> = JSON.parse(readFileSync(place, "utf8"));
  rmSync(path.dirname(place), { recursive: true });
  return found;
}

/** The file as it was checked, once: this process begins with it, whatever the disk has by now. Undefined in a process that replaces none. */
export function takeChecked(file: string): string | undefined {
  const name = realName(file);
  if (taken.has(name)) return undefined;
  taken.add(name);
  return texts.get(name);
}

/** Whether this process has begun with another text than the disk has now. */
export function isOutdated(file: string): boolean {
  const text = texts.get(realName(file));
  return text !== undefined && text !== textsOf([file])[realName(file)];
}

/** What the disk has, by file; empty for a file that cannot be read. */
export function textsOf(files: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    files.map((file) => {
      try {
        return [realName(file), readFileSync(file, "utf8")];
      } catch {
        return [realName(file), ""];
      }
    }),
  );
}

function realName(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
