import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Real processes: what machines read, how signals and ports end them. */

const bin = fileURLToPath(new URL("../../bin/touchline.js", import.meta.url));
const config = fileURLToPath(new URL("../../config/pure-market-making.yaml", import.meta.url));
const env = { ...process.env, TOUCHLINE_KEY: `0x${"5a".repeat(32)}` };

let folder = "";
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-process-"));
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

class Process {
  readonly child: ChildProcess;
  readonly lines: Record<string, unknown>[] = [];
  err = "";
  readonly exit: Promise<number | null>;
  #wake: () => void = () => undefined;

  constructor(...args: string[]) {
    // The condition at once, so that a signal reaches the program itself.
    const argv = ["--conditions=touchline-source", bin, ...args, "--json"];
    this.child = spawn(process.execPath, argv, {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(this.child);
    const { stdout, stderr } = this.child;
    if (stdout === null || stderr === null) throw new Error("piped");
    createInterface({ input: stdout }).on("line", (line) => {
      this.lines.push(JSON.parse(line));
      this.#wake();
    });
    stderr.on("data", (data) => {
      this.err += String(data);
    });
    this.exit = once(this.child, "close").then(([code]) =>
      typeof code === "number" ? code : null,
    );
    void this.exit.then(() => this.#wake());
  }

  /** The first line with this event. */
  async line(event: string): Promise<Record<string, unknown>> {
    for (;;) {
      const found = this.lines.find((line) => line["event"] === event);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`no line ${event}: ${this.err}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

async function untilOpen(rest: string, wanted: boolean): Promise<void> {
  for (;;) {
    const open = new Process("order", "open", "--venue", rest);
    await open.exit;
    const { orders } = await open.line("order.open");
    if (Array.isArray(orders) && orders.length > 0 === wanted) return;
  }
}

const set = (value: string): readonly string[] => ["--set", value];

test("a bot on a venue: quotes, stops on a signal, leaves nothing behind", async () => {
  const venue = new Process("venue", "--port", "0");
  const { rest, ws } = await venue.line("listening");
  const taken = new Process("venue", "--port", new URL(String(rest)).port);
  const bot = new Process(
    "run",
    config,
    ...set(`venue.rest=${String(rest)}`),
    ...set(`venue.ws=${String(ws)}`),
    ...set(`journal.path=${path.join(folder, "journal")}`),
    ...set("dashboard.port=0"),
  );
  await bot.line("run");
  await untilOpen(String(rest), true);
  bot.child.kill("SIGTERM");
  expect(await bot.exit).toBe(0);
  const last = bot.lines.at(-1);
  expect(last).toMatchObject({
    event: "summary",
    ordersLeft: 0,
    ordersRejected: 0,
    foreignOrders: 0,
  });
  expect(last?.["quotesPlaced"]).toBeGreaterThanOrEqual(4);
  await untilOpen(String(rest), false);

  const verify = new Process("journal", "verify", path.join(folder, "journal"));
  expect(await verify.exit).toBe(0);
  expect(verify.lines).toMatchObject([{ event: "verified", identical: true }]);

  expect(await taken.exit).toBe(1);
  expect(taken.lines).toMatchObject([{ event: "error", code: "PORT_TAKEN" }]);
  venue.child.kill("SIGINT");
  expect(await venue.exit).toBe(0);
}, 60_000);

test("the demo ends by itself with its summary", async () => {
  const demo = new Process("demo", "--duration", "6s", "--port", "0");
  const started = await demo.line("demo");
  const page = await fetch(`${String(started["dashboard"])}/api/snapshot`);
  expect(page.status).toBe(200);
  expect(await demo.exit).toBe(0);
  expect(demo.lines.at(-1)).toMatchObject({ event: "summary", ordersLeft: 0, ordersRejected: 0 });
  rmSync(String(started["journal"]), { recursive: true, force: true });
}, 60_000);
