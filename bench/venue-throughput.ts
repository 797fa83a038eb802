import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import {
  ask,
  type Loaded,
  nextMessage,
  type Prepared,
  type Recovered,
  type VenueStarted,
  type VenueUsed,
} from "./venue-throughput/messages.ts";
import { jsonOf, type Round, tableOf } from "./venue-throughput/report.ts";

const help = `Signed orders a second that one paper venue takes over loopback, beside the recovery of their signers alone.

  node bench/venue-throughput.ts [--orders N] [--connections N] [--rounds N] [--memory] [--json] [--flags FLAGS]

The venue and the load run in processes of their own, the venue with a dataDir (--memory: without) and every signature checked.
A round: recoveries alone in the venue's process, then N orders (default 16000) as fast as they are answered, one in flight on
each connection (default 64), recoveries again, then N / 2 orders at random times, half as many a second as just now.
One round to warm up, then those that count (default 5). --flags: flags of Node for the venue's process, such as
"--cpu-prof --cpu-prof-dir=DIR".
`;

const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "16000" },
    connections: { type: "string", default: "64" },
    rounds: { type: "string", default: "5" },
    memory: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    flags: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) process.stdout.write(help);
else await main();

async function main(): Promise<void> {
  const connections = Number(values.connections);
  const rounds = Number(values.rounds);
  const perConnection = Math.ceil(Number(values.orders) / connections);
  const dataDir = values.memory ? undefined : mkdtempSync(path.join(tmpdir(), "touchline-bench-"));
  const children: ChildProcess[] = [];
  try {
    const flags = values.flags.split(" ").filter((flag) => flag !== "");
    const venue = start("venue-process.ts", [values.connections, dataDir ?? []].flat(), flags);
    children.push(venue);
    const { port, crypto } = await nextMessage<VenueStarted>(venue);
    const load = start("load-process.ts", [String(port), values.connections]);
    children.push(load);
    await nextMessage(load);

    const measured: Round[] = [];
    for (let at = 0; at <= rounds; at += 1) {
      const round = await oneRound(venue, load, connections, perConnection);
      if (at === 0) continue;
      measured.push(round);
      process.stderr.write(`round ${at} of ${rounds}\n`);
    }
    const terms = { connections, crypto, isKept: dataDir !== undefined };
    process.stdout.write(values.json ? jsonOf(measured, terms) : tableOf(measured, terms));
    load.kill();
    const ended = new Promise((resolve) => venue.once("exit", resolve));
    venue.send({ ask: "end" });
    await ended;
  } finally {
    for (const child of children) child.kill();
    if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

function start(file: string, args: readonly string[], flags: readonly string[] = []): ChildProcess {
  return fork(path.join(import.meta.dirname, "venue-throughput", file), args, {
    execArgv: [...process.execArgv, ...flags],
  });
}

async function oneRound(
  venue: ChildProcess,
  load: ChildProcess,
  connections: number,
  perConnection: number,
): Promise<Round> {
  // More than are sent, since arrival at random times gives each connection another number.
  const ready = Math.ceil(1.7 * perConnection) + 20;
  const { transactions } = await ask<Prepared>(load, { ask: "prepare", perConnection: ready });
  const recover = () => ask<Recovered>(venue, { ask: "recover", transactions });
  const used = async () => (await ask<VenueUsed>(venue, { ask: "used" })).usedUs;

  const before = await recover();
  const usedBefore = await used();
  const closed = await ask<Loaded>(load, { ask: "closed", perConnection });
  const processorUs = ((await used()) - usedBefore) / closed.orders;
  const after = await recover();
  const usedBetween = await used();
  const open = await ask<Loaded>(load, {
    ask: "open",
    orders: Math.ceil((perConnection * connections) / 2),
    perSecond: closed.perSecond / 2,
  });
  return {
    closed: { ...closed, processorUs },
    open: { ...open, processorUs: ((await used()) - usedBetween) / open.orders },
    floor: {
      perSecond: (before.perSecond + after.perSecond) / 2,
      processorUs: (before.processorUs + after.processorUs) / 2,
    },
  };
}
