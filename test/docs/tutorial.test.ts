import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test, vi } from "vitest";
import { runLine } from "../cli/run-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATIENCE } from "../support/patience.ts";

/**
 * Runs docs/tutorial.md from its first line to its last: writes its files, runs its commands in this process, and looks for every line of
 * output that it shows, in which `…` stands for anything. `# exit 2` behind a command is its exit code.
 */

const root = path.resolve(import.meta.dirname, "../..");
const bin = path.join(root, "bin/touchline.js");
const page = readFileSync(path.join(root, "docs/tutorial.md"), "utf8");
const blocks = page.matchAll(/(?:<!-- file: (\S+) -->\n)?```(\w+)\n([^]*?)```/g);

const home = process.cwd();
const clone = path.join(temporaryFolder(), "touchline");
const ended = Promise.withResolvers<void>();
/** Commands of the page that go on, each in a terminal of its own. */
const going: Promise<Ran>[] = [];
const env: Record<string, string> = {};
let port = 0;
afterAll(async () => {
  ended.resolve();
  await Promise.allSettled(going);
  process.chdir(home);
});

interface Ran {
  readonly code: number;
  readonly text: string;
}

/** A command in this process. */
async function run(argv: readonly string[], until?: Promise<unknown>): Promise<Ran> {
  const { code, out, err } = await runLine(argv, env, until);
  return { code, text: `${out}\n${err}` };
}

/** The runner of tests writes to the terminal itself. */
async function runTests(): Promise<Ran> {
  const { stdout } = await promisify(execFile)(process.execPath, [bin, "test"]);
  return { code: 0, text: stdout };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

const answers = async (url: string): Promise<boolean> =>
  (await fetch(url).catch(() => undefined)) !== undefined;

/** What npm does without a network. */
function install(): void {
  mkdirSync("node_modules");
  symlinkSync(root, "node_modules/touchline");
}

async function startVenue(): Promise<void> {
  port = await freePort();
  going.push(run(["venue", "--port", String(port)], ended.promise));
  await vi.waitUntil(() => answers(`http://127.0.0.1:${port}`), PATIENCE);
  const yaml = readFileSync("bot.yaml", "utf8");
  writeFileSync("bot.yaml", yaml.replaceAll(":8717", `:${port}`));
}

async function startBot(argv: readonly string[]): Promise<void> {
  // Another test may use the page's port.
  going.push(
    run([...argv, "--set", "dashboard.port=0", "--set", "log.level=error"], ended.promise),
  );
  await vi.waitUntil(async () => (await run(["status", "bot.yaml"])).code === 0, PATIENCE);
}

/** Runs a line of a terminal; undefined for a command that goes on. */
async function typed(line: string): Promise<Ran | undefined> {
  const [program, ...argv] = line.split(/\s+/);
  const nothing: Ran = { code: 0, text: "" };
  if (program === "cd") process.chdir(argv[0] ?? "");
  else if (program === "npm") install();
  else if (program === "export") {
    const [name = "", value = ""] = (argv[0] ?? "").split("=");
    env[name] = value;
  } else {
    expect([program, argv[0]]).toEqual(["npx", "touchline"]);
    const own = argv.slice(1);
    if (own[0] === "test") return runTests();
    if (own[0] === "venue") await startVenue();
    else if (own[0] === "run") await startBot(own);
    else return run(own);
  }
  return nothing;
}

/** The lines shown that are not in the output. */
function missing(shown: string, text: string): readonly string[] {
  const lines = text.split("\n");
  const isIn = (wanted: string): boolean => {
    const parts = wanted.split("…").map((part) => part.trim());
    return lines.some((line) => {
      let from = 0;
      return parts.every((part) => {
        const at = line.indexOf(part, from);
        from = at + part.length;
        return at >= 0;
      });
    });
  };
  return shown.split("\n").filter((line) => line.trim() !== "" && !isIn(line));
}

test("docs/tutorial.md does what it says, from nothing to a strategy that was tuned live", async () => {
  mkdirSync(clone);
  process.chdir(clone);
  let text = "";
  let commands: string[] = [];
  for (const [, file, language = "", body = ""] of blocks) {
    if (file !== undefined) writeFileSync(file, body);
    else if (language === "sh") {
      text = "";
      commands = body.split("\n").filter(Boolean);
      for (const command of commands) {
        const [line = "", comment = ""] = command.split(/\s+# /);
        const ran = await typed(line);
        const [, code = "0"] = /^exit (\d+)/.exec(comment) ?? [];
        expect({ line, ...ran }).toMatchObject({ line, code: Number(code) });
        text += ran?.text;
      }
    } else {
      expect(language).toBe("text");
      const isThere = async (): Promise<boolean> => {
        if (missing(body, text).length === 0) return true;
        // A bot that has just started may not quote yet.
        text = (await typed(commands.at(-1) ?? ""))?.text ?? "";
        return false;
      };
      if (commands.at(-1)?.includes(" status ")) {
        await vi.waitUntil(isThere, PATIENCE);
      }
      expect({ missing: missing(body, text), text }).toMatchObject({ missing: [] });
    }
  }
  ended.resolve();
  for (const { code } of await Promise.all(going)) expect(code).toBe(0);
});
