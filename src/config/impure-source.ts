import { readFileSync } from "node:fs";
import path from "node:path";
import type { ImpureKind } from "../platform/guard-impure.ts";
import { impureAdvice } from "./impure-advice.ts";
import { showPath } from "./show-path.ts";

const calls: readonly (readonly [pattern: RegExp, kind: ImpureKind])[] = [
  [/\bDate\.now\b/g, "time"],
  [/\bnew\s+Date\s*(?:\(\s*\)|(?![\s\w$(]))/g, "time"],
  [/\bperformance\.now\b/g, "time"],
  [/\bprocess\.(?:hrtime|uptime)\b/g, "time"],
  [/\bMath\.random\b/g, "random"],
  [/\bcrypto\.(?:randomUUID|randomBytes|randomInt|getRandomValues)\b/g, "random"],
  [/(?<![.\w$])fetch\s*\(/g, "network"],
  [/\bnew\s+(?:WebSocket|EventSource)\b/g, "network"],
  [/(?<![.\w$])(?:setTimeout|setInterval|setImmediate)\s*\(/g, "later"],
];
const modules =
  /(?<=\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])(?:node:)?(fs|fs\/promises|child_process|crypto|dgram|dns|http|http2|https|net|os|perf_hooks|timers|timers\/promises|tls|worker_threads|touchline\/venue(?:\/[\w/-]+)?|undici|ws|axios|ccxt)\1/g;
/** Types are gone when the file runs. */
const typeImports = /\b(?:import|export)\s+type\b[^;"']*(["'])[^"'\n]*\1/g;
const kindOfModule: Readonly<Record<string, ImpureKind>> = {
  crypto: "random",
  perf_hooks: "time",
  timers: "later",
  "timers/promises": "later",
  fs: "data",
  "fs/promises": "data",
  child_process: "data",
  os: "data",
  worker_threads: "data",
};
const imports = /(?<=\bfrom\s*|\bimport\s*\(?\s*)(["'])(\.{1,2}\/[^"']+)\1/g;
/** Comments, or texts and regular expressions that could contain their marks. */
const notCode =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/g;
const FILES_MAX = 50;

/**
 * Sentences with file, line and column about the clocks, random numbers, files and timers that a strategy's file names, and the files
 * that it imports by path. It looks at the text only: a use at the top of the file is named too, one through a package is not.
 */
export function impureSource(file: string): readonly string[] {
  const found: string[] = [];
  const files = [file];
  for (const next of files) {
    const text = textOf(next);
    if (text === undefined) continue;
    const add = (at: number, what: string, kind: ImpureKind): void => {
      const before = text.slice(0, at).split("\n");
      const column = (before.at(-1)?.length ?? 0) + 1;
      found.push(`${showPath(next)}:${before.length}:${column}: ${what}: ${impureAdvice[kind]}`);
    };
    const uncommented = blanked(text, (part) => part.startsWith("/"));
    const loaded = uncommented.replace(typeImports, (part) => part.replace(/[^\n]/g, " "));
    for (const match of loaded.matchAll(modules)) {
      const name = match[2] ?? "";
      add(match.index, `imports ${name}`, kindOfModule[name] ?? "network");
    }
    // A value in `${…}` of a text is code, so templates stay.
    const code = blanked(text, (part) => !part.startsWith("`"));
    for (const [pattern, kind] of calls) {
      for (const match of code.matchAll(pattern)) add(match.index, `uses ${used(match[0])}`, kind);
    }
    for (const match of loaded.matchAll(imports)) {
      const imported = path.resolve(path.dirname(next), match[2] ?? "");
      if (files.length < FILES_MAX && !files.includes(imported)) files.push(imported);
    }
  }
  return found;
}

function used(call: string): string {
  return call.replace(/\s*\(\s*\)?$/, "()").replace(/\s+/g, " ");
}

/** The text with these comments and texts as blanks, so that places stay. */
function blanked(text: string, isBlank: (part: string) => boolean): string {
  return text.replace(notCode, (part) => (isBlank(part) ? part.replace(/[^\n]/g, " ") : part));
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
