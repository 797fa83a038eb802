import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";

const help = `How long a page or a local socket under load holds up the thread that a bot trades on.

  node bench/stall.ts [--seconds N] [--connections N]

A paper venue, a bot that quotes on it and the load run as processes of their own. First nothing is asked for --seconds (default 15),
then --connections (default 64) hammer the page, an eighth of them as viewers, then the page of four strategies that have run for an hour, then 100 send garbage and requests to the control socket.
Prints the delay of the event loop of the bot's main thread in each phase, in milliseconds. Only a quiet machine gives the tail.
`;

interface Delays {
  readonly event: "delays";
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "15" },
    connections: { type: "string", default: "64" },
    help: { type: "boolean", default: false },
  },
});
const root = path.dirname(import.meta.dirname);
const bin = path.join(root, "bin", "touchline.js");
const here = path.join(import.meta.dirname, "stall");

if (values.help) process.stdout.write(help);
else await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-stall-"));
  const children: ChildProcess[] = [];
  try {
    const venue = start(["venue", "--port", "0", "--json"], {});
    children.push(venue);
    const { rest, ws } = await lineOf(venue, "out", "listening");
    const config = path.join(folder, "bot.yaml");
    writeFileSync(config, botYaml(String(rest), String(ws)));
    const bot = start(["run", config, "--json"], { TOUCHLINE_KEY: `0x${"41".repeat(32)}` });
    children.push(bot);
    const { dashboard } = await lineOf(bot, "out", "run");
    const { port } = new URL(String(dashboard));
    await pause(5_000);
    await delaysOf(bot);
    await pause(Number(values.seconds) * 1_000);
    report("quiet", await delaysOf(bot), {});
    const page = await hammer(["page", port, values.connections, values.seconds]);
    report(`page, ${values.connections} connections`, await delaysOf(bot), page);
    const hour = startPage();
    children.push(hour);
    const { dashboard: longPage } = await lineOf(hour, "out", "run");
    await pause(1_000);
    await delaysOf(hour);
    const { port: longPort } = new URL(String(longPage));
    const long = await hammer(["page", longPort, values.connections, values.seconds]);
    report(`page of an hour, ${values.connections} connections`, await delaysOf(hour), long);
    const control = path.join(folder, "journal", "control.sock");
    const socket = await hammer(["control", control, "100", values.seconds]);
    report("control socket, 100 connections", await delaysOf(bot), socket);
  } finally {
    for (const child of children.reverse()) {
      child.kill("SIGTERM");
      if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve));
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

function startPage(): ChildProcess {
  const flags = ["--conditions=touchline-source", "--import", path.join(here, "delay-probe.ts")];
  return spawn(process.execPath, [...flags, path.join(here, "hour-page.ts")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function start(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const probe = args[0] === "run" ? ["--import", path.join(here, "delay-probe.ts")] : [];
  const flags = ["--conditions=touchline-source", "--disable-sigusr1", ...probe];
  return spawn(process.execPath, [...flags, bin, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Four strategies, as a page with some content. */
function botYaml(rest: string, ws: string): string {
  const strategies = [1, 2, 3, 4].map(
    (at) => `  - name: maker-${at}
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: ${at}%, askSpread: ${at}%, size: "0.5", levels: 2, levelSpread: 0.05%, refresh: 1s, tolerance: 0.02% }`,
  );
  return `venue: { rest: "${rest}", ws: "${ws}", chainId: 1001 }
account: { signer: { type: env, name: TOUCHLINE_KEY } }
journal: { path: ./journal }
dashboard: { port: 0 }
log: { level: error }
strategies:
${strategies.join("\n")}
`;
}

/** The first line of a process with this event. */
function lineOf<Line = Readonly<Record<string, unknown>>>(
  child: ChildProcess,
  from: "out" | "err",
  event: string,
): Promise<Line> {
  const stream = from === "out" ? child.stdout : child.stderr;
  if (stream === null) throw new Error("the process has no output");
  return new Promise((resolve, reject) => {
    const reader = createInterface({ input: stream });
    let all = "";
    reader.on("line", (line) => {
      all += `${line}\n`;
      if (!line.includes(`"event":"${event}"`)) return;
      reader.close();
      stream.resume();
      resolve(JSON.parse(line) as Line);
    });
    child.once("exit", () => reject(new Error(`ended before ${event}: ${all}`)));
  });
}

async function delaysOf(bot: ChildProcess): Promise<Delays> {
  const line = lineOf<Delays>(bot, "err", "delays");
  bot.kill("SIGUSR2");
  return line;
}

async function hammer(args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const child = spawn(process.execPath, [path.join(here, "hammer.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return lineOf(child, "out", "hammered");
}

function report(phase: string, delays: Delays, load: object): void {
  const text = (["p50", "p99", "p999", "max"] as const)
    .map((name) => `${name} ${delays[name].toFixed(2)}`)
    .join("  ");
  process.stdout.write(`${phase.padEnd(40)} ${text}  ${JSON.stringify(load)}\n`);
}
