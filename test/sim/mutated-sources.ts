import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Edit, Mutant } from "./mutants.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The source text in `folder` with the edit. Throws when its search text does not occur exactly once. */
export function mutated({ file, search, replace }: Edit, folder = root): string {
  const text = fs.readFileSync(path.join(folder, file), "utf8");
  const count = text.split(search).length - 1;
  if (count !== 1) throw new Error(`"${search}" occurs ${count} times in ${file}`);
  return text.replace(search, () => replace);
}

export function editsOf(mutant: Mutant): readonly Edit[] {
  return mutant.also === undefined ? [mutant] : [mutant, mutant.also];
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
    const takeOut = editsOf(mutant).map((edit) => {
      const target = path.join(this.folder, edit.file);
      const right = fs.readFileSync(target, "utf8");
      fs.writeFileSync(target, mutated(edit, this.folder));
      return () => fs.writeFileSync(target, right);
    });
    return () => {
      for (const restore of takeOut.reverse()) restore();
    };
  }

  remove(): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
