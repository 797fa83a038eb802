import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutants.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The source text in `folder` with the bug. Throws when the bug's search text does not occur exactly once. */
export function mutated({ name, file, search, replace }: Mutant, folder = root): string {
  const text = fs.readFileSync(path.join(folder, file), "utf8");
  const count = text.split(search).length - 1;
  if (count !== 1) throw new Error(`"${name}": its text occurs ${count} times in ${file}`);
  return text.replace(search, () => replace);
}

/** A copy of the sources in a temporary folder, in which one bug at a time is put. */
export class MutatedSources {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "touchline-mutants-"));

  constructor() {
    for (const part of ["src", "strategies", "package.json"]) {
      fs.cpSync(path.join(root, part), path.join(this.folder, part), { recursive: true });
    }
    fs.symlinkSync(path.join(root, "node_modules"), path.join(this.folder, "node_modules"));
  }

  /** Puts the bug into the copy; the result takes it out again. */
  put(mutant: Mutant): () => void {
    const target = path.join(this.folder, mutant.file);
    const right = fs.readFileSync(target, "utf8");
    fs.writeFileSync(target, mutated(mutant, this.folder));
    return () => fs.writeFileSync(target, right);
  }

  remove(): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
