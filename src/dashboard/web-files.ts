import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The folder of the built page. The package has it; a clone builds it when it is missing or older than its source, which
 * takes about a second.
 */
export async function webDir(): Promise<string> {
  const built = path.join(root, "dist", "web");
  const source = path.join(root, "web");
  const index = path.join(built, "index.html");
  if (!existsSync(source)) return built;
  if (existsSync(index) && statSync(index).mtimeMs >= newestMs(source)) return built;
  const { build } = await import("vite");
  await build({ root: source, logLevel: "error", build: { outDir: built, emptyOutDir: true } });
  return built;
}

function newestMs(folder: string): number {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    newest = Math.max(newest, statSync(path.join(entry.parentPath, entry.name)).mtimeMs);
  }
  return newest;
}
