import { chmodSync, writeFileSync } from "node:fs";
import { close, open } from "node:inspector";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { refuseDebugger } from "../../src/cli/debugger.ts";
import { exposedFiles } from "../../src/cli/exposed-files.ts";
import { ageOfNode } from "../../src/cli/node-age.ts";
import { botConfigFrom } from "../../src/config/load-bot-config.ts";
import { parseYaml } from "../../src/config/parse-yaml.ts";
import { botYaml } from "../support/bot-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("a Node without security fixes is named with the day on which they ended", () => {
  expect(ageOfNode("v25.9.0", Date.parse("2026-07-01"))).toContain("2026-06-01");
  expect(ageOfNode("v26.0.0", Date.parse("2026-07-01"))).toBeUndefined();
  expect(ageOfNode("v24.15.0", Date.parse("2028-05-01"))).toContain("2028-04-30");
  expect(ageOfNode("v99.0.0", Date.parse("2028-05-01"))).toBeUndefined();
});

it("keystores and password files that others can read are found", async () => {
  const folder = temporaryFolder();
  const signer = "{ type: keystore, path: ./key.json, password: { file: ./password } }";
  const text = botYaml({
    venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws" },
    account: `account: { signer: ${signer} }`,
  });
  const source = parseYaml({ file: path.join(folder, "bot.yaml"), text, env: {} });
  const config = await botConfigFrom(source);
  const files = ["key.json", "password"].map((name) => path.join(folder, name));
  for (const file of files) writeFileSync(file, "", { mode: 0o600 });
  expect(exposedFiles(config)).toEqual([]);
  for (const file of files) chmodSync(file, 0o644);
  expect(exposedFiles(config)).toEqual(files);
});

describe("a debugger", () => {
  afterEach(() => close());

  it("keeps a bot from starting, unless TOUCHLINE_DEBUG says otherwise", () => {
    expect(refuseDebugger({})).toBeUndefined();
    open(0, "127.0.0.1");
    expect(() => refuseDebugger({})).toThrow(expect.objectContaining({ code: "DEBUGGER_OPEN" }));
    expect(refuseDebugger({ TOUCHLINE_DEBUG: "1" })).toBeUndefined();
    expect(() => refuseDebugger({ TOUCHLINE_DEBUG: "0" })).toThrow("A debugger listens");
  });
});
