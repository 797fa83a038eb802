import { describe, expect, test } from "vitest";
import { ambientBans } from "./ambient.ts";
import {
  type Check,
  checkAmbient,
  checkCycles,
  checkEscapes,
  checkLibraries,
  checkNames,
  checkRooms,
} from "./checks.ts";
import { sourceFile } from "./source-file.ts";

const run = (check: Check, path: string, text: string) => check([sourceFile(path, text)]);

describe("checkRooms", () => {
  test.each([
    ["src/book/a.ts", 'import { x } from "../kernel/x.ts";', "book may not import kernel"],
    ["src/book/a.ts", 'import type { X } from "../kernel/x.ts";', "book may not import kernel"],
    ["src/risk/rules/a.ts", 'export * from "../../venue/x.ts";', "risk may not import venue"],
    ["src/kernel/a.ts", 'import "../exchange/x.ts";', "kernel may not import exchange"],
    ["src/gateway/a.ts", 'import { x } from "../kernel/x.ts";', "only types of kernel"],
    ["src/gateway/a.ts", 'import { type X, y } from "../kernel/x.ts";', "only types of kernel"],
    ["src/config/a.ts", 'const x = await import("../cli/main.ts");', "config may not import cli"],
    ["src/base/a.ts", 'import { x } from "../../test/x.ts";', "nothing outside src"],
    ["src/attic/a.ts", 'import { x } from "../base/x.ts";', "src/attic is not a room"],
    ["strategies/a.ts", 'import { x } from "../src/kernel/x.ts";', "strategies import"],
    ["strategies/a.ts", 'import { x } from "./b.ts";', "strategies import"],
  ])("%s refuses %s", (path, text, problem) => {
    expect(run(checkRooms, path, text)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    ["src/kernel/a.ts", 'import { x } from "../risk/x.ts";'],
    ["src/kernel/a.ts", 'import { x } from "./x.ts";'],
    ["src/gateway/a.ts", 'import type { X } from "../kernel/x.ts";'],
    ["src/gateway/a.ts", 'import { type X, type Y } from "../kernel/x.ts";'],
    ["src/cli/a.ts", 'import { x } from "../sim/x.ts";'],
    ["strategies/a.ts", 'import { x } from "../src/strategy/x.ts";'],
    ["src/base/a.ts", '// import { x } from "../cli/x.ts";\nconst s = `from "../cli/x.ts"`;'],
  ])("%s allows %s", (path, text) => {
    expect(run(checkRooms, path, text)).toEqual([]);
  });
});

describe("checkLibraries", () => {
  test.each([
    ["src/spec/a.ts", 'import { x } from "ethers";', "ethers belongs to platform"],
    ["src/kernel/a.ts", 'import fs from "node:fs";', "node:fs belongs to"],
    ["src/kernel/a.ts", 'import path from "node:path";', "may not be imported in the core"],
    ["src/runtime/a.ts", 'import net from "node:net";', "node:net belongs to"],
    ["src/venue/a.ts", 'import { pool } from "undici/pool";', "undici belongs to platform"],
    ["src/cli/a.ts", 'import x from "left-pad";', "left-pad is not in"],
    ["strategies/a.ts", 'import { z } from "zod";', "strategies import"],
  ])("%s refuses %s", (path, text, problem) => {
    expect(run(checkLibraries, path, text)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    ["src/platform/a.ts", 'import { x } from "ethers";'],
    ["src/platform/a.ts", 'import fs from "node:fs/promises";'],
    ["src/cli/a.ts", 'import { text } from "@clack/prompts/text";'],
    ["strategies/a.ts", 'import { x } from "touchline";'],
  ])("%s allows %s", (path, text) => {
    expect(run(checkLibraries, path, text)).toEqual([]);
  });
});

describe("checkAmbient", () => {
  const samples: Readonly<Record<string, readonly string[]>> = {
    Date: ["const t = Date.now();", "const t = new Date;", "const t = Date();"],
    performance: ["const t = performance.now();"],
    "setTimeout, setInterval, setImmediate, queueMicrotask": [
      "setTimeout(f, 1);",
      "setInterval(f, 1);",
      "globals.setImmediate(f);",
      "queueMicrotask(f);",
    ],
    "Math.random": ["const x = Math.random();"],
    "randomUUID, randomBytes": ["const x = randomUUID();"],
    "global crypto": ["const x = crypto.subtle;"],
    process: ["const x = process.env;", "const x = `${process.pid}`;"],
    globalThis: ["const x = globalThis;"],
    fetch: ["fetch(url);"],
    WebSocket: ["const w = new WebSocket(url);"],
    "async, await, Promise": [
      "const f = async () => 1;",
      "for await (const x of y);",
      "let p: Promise<number>;",
    ],
    console: ["console.log(1);"],
    "import()": ['const x = import("./x.ts");'],
    locale: ["names.sort((a, b) => a.localeCompare(b));", "n.toLocaleString();"],
  };

  test.each(ambientBans.map((ban) => [ban.name, ban.instead]))("refuses %s", (name, instead) => {
    const texts = samples[name] ?? [];
    expect(texts).not.toEqual([]);
    for (const text of texts) {
      for (const path of ["src/kernel/a.ts", "src/domain/a.ts", "strategies/a.ts"]) {
        expect(run(checkAmbient, path, `\n${text}`)).toContain(
          `${path}:2: no ${name} here: ${instead}`,
        );
      }
      expect(run(checkAmbient, "src/platform/a.ts", text)).toEqual([]);
    }
  });

  test("reads code only, not comments, texts and longer names", () => {
    const text = `
      // Date.now() and await
      /* setTimeout(f) */
      const a = "Date.now()" + 'process.env' + \`await fetch(\${b.fetch(1)})\`;
      const c = /Promise|console.log()/.test(a);
      const updatedDate = view.process.value + preprocess.x + crypto.sign(y);
      const isAsync = options.async;
    `;
    expect(run(checkAmbient, "src/kernel/a.ts", text)).toEqual([]);
  });
});

describe("checkCycles", () => {
  const file = (name: string, ...imports: string[]) =>
    sourceFile(`src/base/${name}.ts`, imports.map((to) => `import "./${to}.ts";`).join("\n"));

  test("finds loops of any length, type imports included", () => {
    expect(checkCycles([file("a", "b"), file("b", "c"), file("c", "a")])).toEqual([
      "src/base/c.ts:1: import cycle: src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts",
    ]);
    const self = sourceFile("src/base/a.ts", 'import type { A } from "./a.ts";');
    expect(checkCycles([self])).toHaveLength(1);
  });

  test("a diamond is no loop", () => {
    expect(checkCycles([file("a", "b", "c"), file("b", "d"), file("c", "d"), file("d")])).toEqual(
      [],
    );
  });
});

describe("checkNames", () => {
  test.each(["utils", "string-helpers", "types", "order-manager", "OrderBook", "order_book"])(
    "refuses %s.ts",
    (name) => {
      expect(run(checkNames, `src/base/${name}.ts`, "")).toHaveLength(1);
    },
  );

  test.each(["assert.ts", "order-book.prop.test.ts", "types-of-order.ts"])("allows %s", (name) => {
    expect(run(checkNames, `src/base/${name}`, "")).toEqual([]);
  });
});

describe("checkEscapes", () => {
  test.each([
    "let x: any;",
    "const x = y as any;",
    "let x: Array<any>;",
    "let x: any[];",
    "let x: string | any;",
    "const x = y!.z;",
    "const x = f()!;",
    "const x = list[0]!;",
    "const x = y as never;",
    "const x = y as unknown as Z;",
    "// @ts-ignore\nx();",
    "/* @ts-nocheck */",
  ])("refuses %s", (text) => {
    expect(run(checkEscapes, "src/base/a.ts", text)).toHaveLength(1);
  });

  test.each([
    "if (a !== b && a != c && !d) throw e;",
    'const x = "any!";',
    "z.any();",
    "const x = y as unknown;",
    "const any = list.any;",
    "// any! of these",
    "/[a-z]!/.test(x);",
    "const t = `${a}!${b}!`;",
  ])("allows %s", (text) => {
    expect(run(checkEscapes, "src/base/a.ts", text)).toEqual([]);
  });
});
