import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { close, url } from "node:inspector";
import { defineCliCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { type Argument, asPath } from "../option.ts";

const DEFAULT_FILES = "strategies/**/*.test.{ts,js}";

const files = asPath<Argument<readonly string[] | undefined>>({
  form: "[files...]",
  about: `test files (default: ${DEFAULT_FILES})`,
  parse: (written) => [written],
});

export default defineCliCommand({
  summary: "run the tests of strategies, without an install or a build",
  args: { files },
  examples: ["test", "test strategies/wide-spread.test.ts"],
  async run({ args, terminal, interrupt }) {
    const named = args.files ?? [];
    const found = named.length > 0 ? named : globSync(DEFAULT_FILES).sort();
    if (found.length === 0) {
      throw usageError(`No test file matches ${DEFAULT_FILES}.`, "See: touchline new strategy");
    }
    // Makes `touchline` resolve to the running program, and .ts files load as modules in any folder.
    const hooks = import.meta.url.endsWith(".ts") ? "plugin-hooks.ts" : "plugin-hooks.js";
    const register = new URL(`../../config/register-${hooks}`, import.meta.url);
    // A debugger is meant for the tests: they get this process's port, all in one process.
    const isDebugged = url() !== undefined;
    if (isDebugged) close();
    const isolation = isDebugged ? ["--test-isolation=none"] : [];
    const child = spawn(
      process.execPath,
      [...process.execArgv, "--import", register.href, "--test", ...isolation, ...found],
      // With --json, stdout is for machines.
      { stdio: ["ignore", terminal.json ? 2 : "inherit", "inherit"] },
    );
    interrupt.stop.addEventListener("abort", () => child.kill());
    const passed = await new Promise<boolean>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => resolve(code === 0));
    });
    terminal.emit("test", { files: found, passed });
    return passed ? exitCode.done : exitCode.failed;
  },
});
