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
const web = path.join(root, "web");

/**
 * The folder of the built page of a running bot. The package contains it. A clone builds it, in about a second, when it is missing or
 * older than its source.
 */
export function webDir(): Promise<string> {
  return builtDir("web", web);
}

/** The folder of the built page of a replay's report; as `webDir`. */
export function reportDir(): Promise<string> {
  return builtDir("report", path.join(web, "report"));
}

async function builtDir(name: string, source: string): Promise<string> {
  const built = path.join(root, "dist", name);
  if (!existsSync(web) || isUpToDate(built)) return built;
  const { build } = await import("vite");
  mkdirSync(path.dirname(built), { recursive: true });
  // The page is built in a temporary folder and then moved, so that no process serves a half-built page.
  const fresh = mkdtempSync(`${built}-`);
  try {
    await build({
      root: source,
      configFile: path.join(web, "vite.config.ts"),
      logLevel: "error",
      build: { outDir: fresh, emptyOutDir: true },
    });
    if (!isUpToDate(built)) {
      rmSync(built, { recursive: true, force: true });
      renameSync(fresh, built);
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return built;
}

/** Both pages share code, so a change of any source makes both old. */
function isUpToDate(built: string): boolean {
  const index = path.join(built, "index.html");
  return existsSync(index) && statSync(index).mtimeMs >= newestMs(web);
}

function newestMs(folder: string): number {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    newest = Math.max(newest, statSync(path.join(entry.parentPath, entry.name)).mtimeMs);
  }
  return newest;
}
