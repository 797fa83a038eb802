import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { fromHex } from "../src/base/hex.ts";
import { Prng } from "../src/base/prng.ts";
import { fixed } from "../src/domain/fixed.ts";
import { marketId } from "../src/domain/ids.ts";
import { systemClock } from "../src/platform/clock.ts";
import { loadCrypto } from "../src/platform/crypto.ts";
import { createDatabaseOpener } from "../src/platform/database.ts";
import { createServerFactory } from "../src/platform/server.ts";
import { systemTimer } from "../src/platform/timer.ts";
import type { Crypto } from "../src/ports/crypto.ts";
import { CommandSigner } from "../src/spec/sign-command.ts";
import { decodeTransaction } from "../src/spec/transaction.ts";
import { venueSchema } from "../src/venue/config.ts";
import { startVenue } from "../src/venue/start-venue.ts";
import { percentile } from "./percentile.ts";

const help = `Signed orders a second that one paper venue takes over loopback, beside the recovery of their signers alone.

  node bench/venue-throughput.ts [--orders N] [--connections N] [--rounds N] [--memory]

The venue runs in a process of its own with a dataDir (--memory: without). Each connection belongs to one account, which sends
its next order when the last one was answered. The floor is what that process does when it only recovers signers.
`;

const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "20000" },
    connections: { type: "string", default: "64" },
    rounds: { type: "string", default: "5" },
    memory: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    // The other process: a venue with this dataDir (empty for none), for so many accounts.
    venue: { type: "string" },
  },
});
const connections = Number(values.connections);

/** Keys for measuring only. */
function keyOf(account: number): Uint8Array {
  return new Uint8Array(32).fill(1 + account);
}

if (values.help) process.stdout.write(help);
else if (values.venue !== undefined) await serve(values.venue);
else await measure();

/** The venue's process: serves, and recovers signers when asked to by a message. */
async function serve(dataDir: string): Promise<void> {
  const crypto = await loadCrypto();
  const accounts = Object.fromEntries(
    Array.from({ length: connections }, (_, at) => [
      crypto.signer(keyOf(at)).address,
      { "1": "1000000", "2": "1000000000" },
    ]),
  );
  const venue = await startVenue({
    config: venueSchema.parse({ accounts, dataDir: dataDir === "" ? null : dataDir }),
    listen: { host: "127.0.0.1", port: 0 },
    ports: {
      server: createServerFactory(),
      clock: systemClock,
      timer: systemTimer,
      crypto,
      log: { debug() {}, info() {}, warn: console.warn, error: console.error },
      database: createDatabaseOpener(),
    },
  });
  process.on("message", (message: { readonly recover?: readonly string[] }) => {
    if (message.recover !== undefined) {
      const { user, system } = process.cpuUsage();
      const perSecond = recoveries(crypto, message.recover);
      const after = process.cpuUsage();
      const recoverUs = (after.user + after.system - user - system) / message.recover.length;
      process.send?.({ perSecond, recoverUs, usedUs: user + system });
    } else void venue.close().then(() => process.exit(0));
  });
  process.send?.({ port: Number(new URL(venue.rest).port), crypto: crypto.name });
}

/** Signers recovered a second: hash of the unsigned bytes and the recovery itself. */
function recoveries(crypto: Crypto, transactions: readonly string[]): number {
  const decoded = transactions.map((tx) => {
    const transaction = decodeTransaction(fromHex(tx) ?? new Uint8Array(), 1001);
    if (!transaction.ok) throw new Error(transaction.error);
    return transaction.value;
  });
  const start = performance.now();
  for (const { unsigned, signature } of decoded) {
    crypto.recover(crypto.keccak256(unsigned), signature.rs, signature.recovery);
  }
  return decoded.length / ((performance.now() - start) / 1000);
}

async function measure(): Promise<void> {
  const orders = Number(values.orders);
  const rounds = Number(values.rounds);
  const crypto = await loadCrypto();
  const random = new Prng(1);
  const perAccount = Math.floor(orders / connections);
  process.stderr.write(`signing ${rounds} x ${perAccount * connections} orders\n`);
  const signed = Array.from({ length: connections }, (_, account) => {
    const signer = crypto.signer(keyOf(account));
    const commands = new CommandSigner({ owner: signer.address, chainId: 1001, crypto, signer });
    return Array.from(
      { length: rounds * perAccount },
      (_, nonce) =>
        commands.sign({
          type: "place",
          nonce,
          marketId: marketId("1", "2"),
          side: random.chance(0.5) ? "BUY" : "SELL",
          orderType: "LIMIT",
          orderMode: 0,
          // About as many trade as rest.
          price: Number((1800 + random.normal()).toFixed(1)),
          quantity: fixed("0.01"),
        }).bytesHex,
    );
  });

  const dataDir = values.memory ? "" : mkdtempSync(path.join(tmpdir(), "touchline-bench-"));
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      import.meta.filename,
      "--venue",
      dataDir,
      "--connections",
      String(connections),
    ],
    { stdio: ["ignore", "inherit", "inherit", "ipc"] },
  );
  const answer = <Message>(): Promise<Message> =>
    new Promise((resolve) => child.once("message", (message) => resolve(message as Message)));
  const asked = <Message>(question: object): Promise<Message> => {
    child.send(question);
    return answer<Message>();
  };
  try {
    const started = await answer<{ port: number; crypto: string }>();
    const sockets = await Promise.all(
      Array.from({ length: connections }, () => connected(started.port)),
    );
    const lines: Line[] = [];
    let usedUs = (await asked<Recovered>({ recover: [] })).usedUs;
    for (let round = 0; round < rounds; round += 1) {
      const mine = signed.map((all) => all.slice(round * perAccount, (round + 1) * perAccount));
      const took: number[] = [];
      const start = performance.now();
      await Promise.all(sockets.map((socket, at) => send(socket, mine[at] ?? [], took)));
      const seconds = (performance.now() - start) / 1000;
      const alone = await asked<Recovered>({ recover: mine.flat().slice(0, 5000) });
      const samples = Float64Array.from(took);
      const line = {
        perSecond: took.length / seconds,
        p50: percentile(samples, 0.5),
        p99: percentile(samples, 0.99),
        processorUs: (alone.usedUs - usedUs) / took.length,
        floor: alone.perSecond,
        floorUs: alone.recoverUs,
      };
      usedUs = (await asked<Recovered>({ recover: [] })).usedUs;
      lines.push(line);
      process.stdout.write(`${textOf(line)}\n`);
    }
    const median = (of: (line: Line) => number): number =>
      percentile(Float64Array.from(lines, of), 0.5);
    const settings = `${connections} connections, ${started.crypto}, ${values.memory ? "in memory" : "dataDir on"}`;
    const middle: Line = {
      perSecond: median(({ perSecond }) => perSecond),
      p50: median(({ p50 }) => p50),
      p99: median(({ p99 }) => p99),
      processorUs: median(({ processorUs }) => processorUs),
      floor: median(({ floor }) => floor),
      floorUs: median(({ floorUs }) => floorUs),
    };
    process.stdout.write(`median of ${rounds}, ${settings}: ${textOf(middle)}\n`);
    for (const socket of sockets) socket.destroy();
    child.send({});
    await new Promise((resolve) => child.once("exit", resolve));
  } finally {
    child.kill();
    if (dataDir !== "") rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Recovered {
  readonly perSecond: number;
  /** Processor time of one recovery. */
  readonly recoverUs: number;
  /** Processor time of the venue's process, before the recoveries. */
  readonly usedUs: number;
}

interface Line {
  readonly perSecond: number;
  /** Milliseconds from sending an order to its answer. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the venue's process for one order. */
  readonly processorUs: number;
  /** Recoveries a second, and the processor time of one. */
  readonly floor: number;
  readonly floorUs: number;
}

function textOf(line: Line): string {
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  return (
    `${line.perSecond.toFixed(0)} orders/s, p50 ${line.p50.toFixed(2)} ms, p99 ${line.p99.toFixed(2)} ms; recovery alone ${line.floor.toFixed(0)}/s, ` +
    `so ${percent(line.perSecond / line.floor)} of it; by processor time ${line.processorUs.toFixed(1)} us an order, ${line.floorUs.toFixed(1)} us a recovery: ` +
    percent(line.floorUs / line.processorUs)
  );
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}

/** One order after the other on one connection; the milliseconds of each go to `took`. As light as a client can be. */
function send(socket: Socket, transactions: readonly string[], took: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let at = 0;
    let sentAt = 0;
    let received = "";
    const next = (): void => {
      const tx = transactions[at];
      if (tx === undefined) {
        socket.off("data", hear);
        resolve();
        return;
      }
      const body = `{"tx":"${tx}"}`;
      sentAt = performance.now();
      socket.write(
        `POST /api/v1/order HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    };
    const hear = (data: Buffer): void => {
      received += data.toString("latin1");
      if (!received.endsWith("}")) return;
      took.push(performance.now() - sentAt);
      if (!received.startsWith("HTTP/1.1 200")) reject(new Error(received));
      received = "";
      at += 1;
      next();
    };
    socket.on("data", hear);
    next();
  });
}
