import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { BenchCase } from "./bench-case.ts";

const folder = path.join(import.meta.dirname, "cases");

/** Every case of `cases/`, ordered by goal. */
export async function allCases(): Promise<BenchCase[]> {
  const cases: BenchCase[] = [];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(".ts")) continue;
    const exported: Record<string, unknown> = await import(
      pathToFileURL(path.join(folder, file)).href
    );
    for (const value of Object.values(exported)) if (isCase(value)) cases.push(value);
  }
  return cases.sort((left, right) => left.goal.localeCompare(right.goal, "en", { numeric: true }));
}

function isCase(value: unknown): value is BenchCase {
  return typeof value === "object" && value !== null && "goal" in value && "prepare" in value;
}
