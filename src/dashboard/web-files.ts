import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The folder of the built page. The package contains it. A clone builds it, in about a second, when it is missing or older than
 * its source.
 */
export async function webDir(): Promise<string> {
  const built = path.join(root, "dist", "web");
  const source = path.join(root, "web");
  if (!existsSync(source) || isUpToDate(built, source)) return built;
  const { build } = await import("vite");
  mkdirSync(path.dirname(built), { recursive: true });
  // The page is built in a temporary folder and then moved, so that no process serves a half-built page.
  const fresh = mkdtempSync(`${built}-`);
  try {
    await build({ root: source, logLevel: "error", build: { outDir: fresh, emptyOutDir: true } });
    if (!isUpToDate(built, source)) {
      rmSync(built, { recursive: true, force: true });
      renameSync(fresh, built);
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return built;
}

function isUpToDate(built: string, source: string): boolean {
  const index = path.join(built, "index.html");
  return existsSync(index) && statSync(index).mtimeMs >= newestMs(source);
}

function newestMs(folder: string): number {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    newest = Math.max(newest, statSync(path.join(entry.parentPath, entry.name)).mtimeMs);
  }
  return newest;
}
