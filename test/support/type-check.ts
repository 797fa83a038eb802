import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const tsc = path.join(root, "node_modules/typescript/bin/tsc");
const typeRoots = [path.join(root, "node_modules/@types")];

/**
 * Type-checks TypeScript texts by file name with the project's settings, and returns the compiler's output. `sources` has the file below
 * `src/` of each module name that the texts import; `*` as in a tsconfig's `paths`. Takes seconds.
 */
export function typeCheck(
  texts: Readonly<Record<string, string>>,
  sources: Readonly<Record<string, string>>,
): string {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-docs-"));
  try {
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(path.join(folder, name), text);
    }
    const paths = Object.fromEntries(
      Object.entries(sources).map(([name, file]) => [name, [path.join(root, "src", file)]]),
    );
    const project = {
      extends: path.join(root, "tsconfig.json"),
      compilerOptions: { paths, typeRoots },
      include: ["*.ts"],
      exclude: [],
    };
    writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(project));
    // Several checkers each do most of the work again.
    const args = [tsc, "--project", folder, "--singleThreaded"];
    return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
