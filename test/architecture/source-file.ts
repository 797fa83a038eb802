import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { scanSource, type ScannedSource } from "./scan-source.ts";

export interface SourceFile extends ScannedSource {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const root = path.resolve(import.meta.dirname, "../..");

export function sourceFile(filePath: string, text: string): SourceFile {
  return { path: filePath, text, ...scanSource(text) };
}

/** Every TypeScript file below the folders, sorted. */
export function readSourceFiles(...folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true }).map(
        (file) => `${folder}/${String(file)}`,
      ),
    )
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("/node_modules/"))
    .sort()
    .map((file) => sourceFile(file, readFileSync(path.join(root, file), "utf8")));
}

/** The file that a relative import names, from the root; undefined for a package. */
export function importedPath(file: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return path.posix.join(path.posix.dirname(file.path), specifier);
}

/** `src/risk/rules/balance.ts` → `risk`, `src/index.ts` → `index.ts`, `strategies/x.ts` → undefined. */
export function roomOf(filePath: string): string | undefined {
  return /^src\/([^/]+)/.exec(filePath)?.[1];
}
