import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const at = (file: string): string => new URL(`../../src/${file}`, import.meta.url).href;

/** Expressions that read the file `path`, in a process that can be ended. */
const readers = {
  "the store": `createStore().read(path)`,
  "a journal": `readSegment(createStore(), { number: 1, name: "000001.journal", path, isCompressed: false })`,
  "a keystore": `readSecretFile(path, "KEYSTORE_MISSING", "keystore")`,
  "a password": `readPassword({ type: "file", path }, {})`,
  "a configuration": `readConfig(path)`,
  "a latency trace": `resolvedDelay(source, "feed", { type: "trace", file: path })`,
};

const strange = {
  "a pipe": (path: string) => execFileSync("mkfifo", [path]),
  "a device": (path: string) => symlinkSync("/dev/zero", path),
  "a folder": (path: string) => mkdirSync(path),
};

test.skipIf(process.platform === "win32").each(Object.entries(strange))(
  "%s in the place of a file is refused, and not read, which might never end",
  (_, make) => {
    const path = `${temporaryFolder()}/000001.journal`;
    make(path);
    const attempts = Object.values(readers).map(
      (read) => `try { ${read}; } catch (error) { console.log(error.message); }`,
    );
    const code = `
      import { createStore } from "${at("platform/store.ts")}";
      import { readSecretFile } from "${at("platform/keystore-file.ts")}";
      import { readPassword } from "${at("platform/key-source.ts")}";
      import { readSegment } from "${at("journal/segments.ts")}";
      import { resolvedDelay } from "${at("config/latency-trace.ts")}";
      import { parseYaml } from "${at("config/parse-yaml.ts")}";
      import { readConfig } from "${at("config/read-config.ts")}";
      const source = parseYaml({ file: "bot.yaml", text: "", env: {} });
      const path = ${JSON.stringify(path)};
      ${attempts.join("\n")}
      console.log(source.problems.map(({ message }) => message).join());`;
    const args = ["--max-old-space-size=100", "--input-type=module", "-e", code];
    const { stdout } = spawnSync(process.execPath, args, { timeout: 20_000, encoding: "utf8" });
    const refused = `${path} is not a plain file`;
    expect(stdout.trim().split("\n")).toEqual([
      `${refused}.`,
      `${refused}.`,
      `the keystore ${refused}`,
      `the password file ${refused}`,
      expect.stringContaining("is not a plain file"),
      expect.stringContaining("which cannot be read"),
    ]);
  },
);
