import { readFileSync } from "node:fs";
import { isClone, packageRoot } from "../config/plugin-hooks.ts";

/** Version of the package. */
export function readVersion(): string {
  const written: unknown = JSON.parse(readFileSync(new URL("package.json", packageRoot), "utf8"));
  const version: unknown =
    typeof written === "object" && written !== null ? Reflect.get(written, "version") : undefined;
  return String(version);
}

/** Version of the code for the journal, with the commit in a clone. */
export function codeVersion(): string {
  const commit = isClone ? readCommit() : undefined;
  return commit === undefined ? readVersion() : `${readVersion()}+${commit.slice(0, 12)}`;
}

/** Reads the commit without running git, which may not be installed. */
function readCommit(): string | undefined {
  const head = readGit("HEAD");
  const reference = /^ref: (.+)$/.exec(head ?? "")?.[1];
  if (reference === undefined) return head;
  const packed = (): string | undefined =>
    readGit("packed-refs")
      ?.split("\n")
      .find((line) => line.endsWith(` ${reference}`))
      ?.split(" ")[0];
  return readGit(reference) ?? packed();
}

function readGit(name: string): string | undefined {
  try {
    return readFileSync(new URL(`.git/${name}`, packageRoot), "utf8").trim();
  } catch {
    return undefined;
  }
}
