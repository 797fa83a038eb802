import { setTimeout as sleep } from "node:timers/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listeningPorts } from "../support/listening-ports.ts";
import { serveLoopback } from "../support/loopback-server.ts";
import { Touchline, touchline } from "../support/touchline-process.ts";
import { type Ran, runLine } from "./run-line.ts";

const config = fileURLToPath(new URL("../../config/pure-market-making.yaml", import.meta.url));
const key = { TOUCHLINE_KEY: `0x${"5a".repeat(32)}` };
/** Signals within 200 ms count as one. */
const ANOTHER_SIGNAL_MS = 300;

let folder = "";
const started: Touchline[] = [];
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-signals-"));
});
afterAll(() => {
  for (const each of started) each.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]): Touchline {
  const process = new Touchline(args, key);
  started.push(process);
  return process;
}

function botLine(venue: { rest?: unknown; ws?: unknown }, ...more: string[]): string[] {
  const values = {
    "venue.rest": venue.rest,
    "venue.ws": venue.ws,
    "journal.path": path.join(folder, "journal"),
    "dashboard.port": 0,
  };
  const set = Object.entries(values).flatMap(([name, value]) => [
    "--set",
    `${name}=${String(value)}`,
  ]);
  return ["run", config, ...set, ...more];
}

/** A bot, in this process, that is stopped while its venue answers no request. Here, unlike in a process that ends, it may keep its journal locked a while. */
async function stoppedAtStart(journal: string): Promise<Ran> {
  const isAsked = Promise.withResolvers<void>();
  const respond = () => {
    isAsked.resolve();
    return { status: 503, body: "" };
  };
  const venue = await serveLoopback({ respond });
  const rest = `http://127.0.0.1:${venue.port}`;
  const line = botLine({ rest, ws: `ws://127.0.0.1:${venue.port}/ws` });
  const ran = await runLine(
    [...line, "--set", `journal.path=${path.join(folder, journal)}`, "--json"],
    { ...key, TOUCHLINE_LOG: "error" },
    isAsked.promise,
  );
  await venue.close();
  return ran;
}

function portOf(url: unknown): number {
  return Number(new URL(String(url)).port);
}

test("a taken port and signals end processes with the documented exit codes", async () => {
  const venue = start("venue", "--port", "0");
  const { rest, ws } = await venue.line("listening");
  const taken = await runLine(["venue", "--port", new URL(String(rest)).port, "--json"]);
  expect(taken).toMatchObject({ code: 1, events: [{ event: "error", code: "PORT_TAKEN" }] });
  const dry = start(...botLine({ rest, ws }, "--dry-run"));
  const { dashboard: dryPage, dryRun } = await dry.line("run");
  expect(dryRun).toBe(true);
  await dry.said("dry run: signed, not sent");
  dry.kill("SIGUSR1");
  dry.kill("SIGUSR2");
  await sleep(ANOTHER_SIGNAL_MS);
  if (process.platform === "linux") expect(listeningPorts(dry.pid ?? 0)).toEqual([portOf(dryPage)]);
  // As systemd does with SendSIGHUP, and at the end of a login session.
  dry.kill("SIGTERM");
  dry.kill("SIGHUP");
  expect(await dry.exit).toBe(0);
  const history = await touchline(["order", "history", "--venue", String(rest)], key);
  expect(history.lines).toMatchObject([{ event: "order.history", orders: [] }]);

  expect(await stoppedAtStart("new")).toMatchObject({ code: 0, events: [] });

  const bot = start(...botLine({ rest, ws }));
  const { dashboard } = await bot.line("run");
  // Neither the watchdog's inspector session nor a signal opens a port for debuggers.
  if (process.platform === "linux")
    expect(listeningPorts(bot.pid ?? 0)).toEqual([portOf(dashboard)]);
  const orders = async () => (await fetch(`${String(dashboard)}/api/v1/orders`)).text();
  await expect.poll(orders).toMatch(/BUY/);
  // A venue that hangs: what is to be canceled cannot be, until the second signal gives it up.
  venue.kill("SIGSTOP");
  bot.kill("SIGINT");
  await bot.said("Stopping");
  await sleep(ANOTHER_SIGNAL_MS);
  bot.kill("SIGTERM");
  expect(await bot.exit).toBe(130);
  expect(bot.lines.at(-1)).toMatchObject({ event: "error", code: "INTERRUPTED" });
  expect(bot.stderr).toContain("its orders may still be open");
  // Now the journal has orders that may be open.
  expect(await stoppedAtStart("journal")).toMatchObject({
    code: 1,
    events: [{ event: "error", code: "INTERRUPTED" }],
  });
  venue.kill("SIGCONT");
  venue.kill("SIGQUIT");
  expect(await venue.exit).toBe(0);
});
