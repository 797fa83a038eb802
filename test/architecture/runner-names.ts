import type { Check } from "./checks.ts";
import { lineAt } from "./scan-source.ts";

const NAMES = "it|test|expect|describe|vi|beforeEach|afterEach|beforeAll|afterAll";
/** A name that is bound: declared, a parameter, or an element of a pattern. Calls and members are uses. */
const BINDINGS = [
  new RegExp(`\\b(?:const|let|var|function|class)\\s+(${NAMES})\\b`, "g"),
  new RegExp(`[([{,]\\s*(?:\\.\\.\\.)?(${NAMES})\\s*(?=[:,)\\]}=?]|=>)`, "g"),
  new RegExp(`\\b(${NAMES})\\s*=>`, "g"),
];

/** A local called `it` hides the runner's `it`: the reader takes the one for the other. */
export const checkRunnerNames: Check = (files) =>
  files.flatMap((file) => {
    const code = withoutImports(file.code);
    const found = BINDINGS.flatMap((pattern) =>
      [...code.matchAll(pattern)].flatMap(({ 0: text, 1: name = "", index }) => {
        const at = index + text.lastIndexOf(name);
        if (isKey(code, at + name.length)) return [];
        return `${file.path}:${lineAt(code, at)}: call it something else: ${name} is vitest's`;
      }),
    );
    return [...new Set(found)];
  });

/** Same length and lines, the clauses of imports blanked. */
function withoutImports(code: string): string {
  return code.replace(/\bimport\b[^;(]*?;/g, (text) => text.replace(/[^\n]/g, " "));
}

/** Whether the name that ends here is a key of an object literal, not a parameter with its type. */
function isKey(code: string, end: number): boolean {
  if (!/^\s*:/.test(code.slice(end, end + 50))) return false;
  let depth = 0;
  for (let at = end - 1; at >= 0; at -= 1) {
    const character = code.charAt(at);
    if (")]}".includes(character)) depth += 1;
    else if ("([{".includes(character)) {
      if (depth === 0) return character === "{";
      depth -= 1;
    }
  }
  return false;
}
