import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** A whole strategy; `decide` may be replaced. */
const strategy = (extra = "") => `
import { defineStrategy, noQuotes, share, z } from "touchline";
${extra}
export default defineStrategy({
  name: "mine",
  params: z.strictObject({ spread: share() }),
  init: () => ({}),
  decide: () => noQuotes("never"),
});
`;

/** Each: what the file holds, and what the sentence must say. The place comes first where there is one. */
const mistakes: readonly [file: string, text: string, said: readonly string[]][] = [
  [
    "no-default.ts",
    "export const a = 1;\n",
    ["no-default.ts has no default export", "defineStrategy"],
  ],
  [
    "a-function.ts",
    "export default () => 1;\n",
    ["exports a function by default", "defineStrategy"],
  ],
  [
    "by-hand.ts",
    'export default { name: "x", decide() {} };\n',
    ["not created by defineStrategy", "it lacks params, a zod schema, init"],
  ],
  [
    "async-decide.ts",
    strategy("").replace("decide: ()", "decide: async ()"),
    ["async-decide.ts: its decide is asynchronous", "it must be synchronous: remove async"],
  ],
  [
    "no-main.ts",
    strategy().replace("params:", 'markets: ["hedge"] as never, params:'),
    ['no-main.ts: its markets must be a list of names with "main" first'],
  ],
  [
    "twice.ts",
    strategy().replace("params:", 'markets: ["main", "hedge", "hedge"], params:'),
    ['twice.ts: its markets have the name "hedge" twice'],
  ],
  [
    "slash.ts",
    strategy().replace("params:", 'markets: ["main", "a/b"], params:'),
    ['slash.ts: its markets have the name "a/b"', "a letter first"],
  ],
  [
    "enum.ts",
    strategy("enum Side { Buy }"),
    ["enum.ts:3: ", "TypeScript's enum", "constant object"],
  ],
  [
    "parameter-property.ts",
    strategy("class A { constructor(private x: number) {} }"),
    ["parameter-property.ts:3: ", "parameter property", "constructor"],
  ],
  [
    "type-import.ts",
    'import { Kind } from "./kinds.ts";\nexport const k: Kind = 1;\n',
    ["type-import.ts:1: ", "exports no value Kind", "import type { Kind }"],
  ],
  ["kinds.ts", "export type Kind = number;\n", ["kinds.ts has no default export"]],
  [
    "decorator.ts",
    "const d = (_: unknown) => undefined;\n@d\nclass A {}\nexport default A;\n",
    ["decorator.ts:2: ", "decorators"],
  ],
  [
    "syntax.ts",
    "export default {\n  a: 1\n  b: 2,\n};\n",
    ["syntax.ts:3: is not valid TypeScript"],
  ],
  [
    "syntax.js",
    "export default {\n  a: 1\n  b: 2,\n};\n",
    ["syntax.js:3: is not valid JavaScript"],
  ],
  [
    "throws.ts",
    '\nthrow new Error("boom at load");\n',
    ["throws.ts:2:7 threw an error", "boom at load"],
  ],
  ["waits.ts", "await new Promise(() => {});\n", ["waits.ts does not finish loading"]],
  ["lost.ts", 'import "./gone.ts";\n', ["lost.ts imports", "gone.ts, which does not exist"]],
  ...["@/lib.ts", "~/lib", "#lib", "$lib/a.ts", "parts/a.ts", "@app/deep/a.ts"].map(
    (name, at): [string, string, readonly string[]] => [
      `alias-${at}.ts`,
      `import "${name}";\n`,
      [`alias-${at}.ts imports ${name}, which is no package`, "tsconfig.json", "./name.ts"],
    ],
  ),
  ["deep/alias.ts", 'import "parts/a.ts";\n', ["alias.ts imports parts/a.ts, which is no package"]],
  ["poor.ts", 'import "no-such-package";\n', ["no-such-package", "npm install no-such-package"]],
];

const named: readonly [plugin: string, said: readonly string[]][] = [
  ["./missing.ts", ["does not exist", "missing.ts", "relative to the configuration file"]],
  ["pure-market-makin", ["did you mean pure-market-making"]],
  ["ts-plugin", ["the package ts-plugin is published as TypeScript", "built .js"]],
];

const fine: readonly [plugin: string, name: string][] = [
  ["pure-market-making", "pure-market-making"],
  ["./mine.ts", "mine"],
  ["./typeless/mine.ts", "mine"],
  ["js-plugin", "mine"],
];

const here = path.dirname(fileURLToPath(import.meta.url));
let base = "";
/** Messages name its files whatever its name is. */
let folder = "";
let outcome: Readonly<Record<string, { name?: string; error?: string }>> = {};

function put(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

// Loading is Node's business, so one real process tries them all.
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "touchline-plugins-")));
  folder = path.join(base, "it's  my bots! (1) 100% #2");
  mkdirSync(folder);
  for (const [file, text] of mistakes) put(file, text);
  put("mine.ts", strategy());
  put("parts/a.ts", "");
  put("tsconfig.json", '{ "compilerOptions": { "paths": { "@app/*": ["./*"] } } }');
  put("typeless/package.json", "{}");
  put("typeless/mine.ts", strategy());
  put("node_modules/ts-plugin/package.json", '{"exports":"./index.ts","type":"module"}');
  put("node_modules/ts-plugin/index.ts", strategy());
  put("node_modules/js-plugin/package.json", '{"exports":{"import":"./index.js"},"type":"module"}');
  put("node_modules/js-plugin/index.js", strategy());
  const plugins = [...mistakes.map(([file]) => `./${file}`), ...named.map(([plugin]) => plugin)];
  const script = `
    import { loadPlugin } from ${JSON.stringify(path.join(here, "../../src/config/load-plugin.ts"))};
    const results = {};
    for (const plugin of ${JSON.stringify([...plugins, ...fine.map(([plugin]) => plugin)])}) {
      const result = await loadPlugin({
        plugin, configFile: ${JSON.stringify(path.join(folder, "bot.yaml"))}, timeoutMs: 300,
      });
      results[plugin] = result.ok ? { name: result.value.name } : { error: result.error };
    }
    console.log(JSON.stringify(results));
  `;
  const args = ["--conditions=touchline-source", "--input-type=module", "--eval", script];
  const output = execFileSync(process.execPath, args, { cwd: base, encoding: "utf8" });
  outcome = JSON.parse(output);
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("plugins that load", () => {
  test.each(fine)("%s", (plugin, name) => {
    expect(outcome[plugin]).toEqual({ name });
  });
});

describe("mistakes get one sentence", () => {
  const cases = [
    ...mistakes.map(([file, , said]) => [`./${file}`, said] as const),
    ...named.map(([plugin, said]) => [plugin, said] as const),
  ];
  test.each(cases)("%s", (plugin, said) => {
    const error = outcome[plugin]?.error ?? "";
    for (const part of said) expect(error).toContain(part);
    expect(error).not.toContain("\n");
    expect(error).not.toContain("    at ");
  });
});
