import { Prng } from "../../src/base/prng.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId } from "../../src/domain/ids.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { CommandSigner } from "../../src/spec/sign-command.ts";
import { percentile } from "../percentile.ts";
import { accountKey } from "./account-key.ts";
import type { Loaded, LoadQuestion, Prepared } from "./messages.ts";
import { OrderConnection, orderRequest } from "./order-connection.ts";

/**
 * The load's process: `load-process.ts PORT CONNECTIONS`. Each connection belongs to one account and has one order in flight.
 * Orders are signed, and their requests written out, before the clock runs.
 */
const [port, connections] = process.argv.slice(2).map(Number);
if (port === undefined || connections === undefined) throw new Error("which port?");
/** Orders given for the recoveries at most. */
const RECOVERED_MAX = 5000;

const crypto = await loadCrypto();
const random = new Prng(1);
const accounts = await Promise.all(
  Array.from({ length: connections }, async (_, at) => {
    const signer = crypto.signer(accountKey(at));
    return {
      commands: new CommandSigner({ owner: signer.address, chainId: 1001, crypto, signer }),
      connection: await OrderConnection.open(port),
      /** Requests to send, the next one last. */
      requests: [] as string[],
      nonce: 0,
    };
  }),
);

process.on("message", (question: LoadQuestion) => {
  void response(question).then((given) => process.send?.(given));
});
process.send?.({});

function response(question: LoadQuestion): Promise<Loaded | Prepared> {
  switch (question.ask) {
    case "prepare":
      return Promise.resolve(prepare(question.perConnection));
    case "closed":
      return measured((took) => closedLoop(question.perConnection, took));
    case "open":
      return measured((took) => openLoop(question.orders, question.perSecond, took));
  }
}

function prepare(perConnection: number): Prepared {
  const transactions: string[] = [];
  for (const account of accounts) {
    const before = account.requests;
    const requests: string[] = [];
    while (before.length + requests.length < perConnection) {
      const { bytesHex } = account.commands.sign({
        type: "place",
        nonce: account.nonce,
        marketId: marketId("1", "2"),
        side: random.chance(0.5) ? "BUY" : "SELL",
        orderType: "LIMIT",
        orderMode: 0,
        // About as many trade as rest.
        price: Number((1800 + random.normal()).toFixed(1)),
        quantity: fixed("0.01"),
      });
      account.nonce += 1;
      if (requests.length < RECOVERED_MAX / accounts.length) transactions.push(bytesHex);
      requests.push(orderRequest(port ?? 0, bytesHex));
    }
    account.requests = [...requests.reverse(), ...before];
  }
  return { transactions };
}

/** `load` pushes the milliseconds of each order. */
async function measured(load: (took: number[]) => Promise<void>): Promise<Loaded> {
  const took: number[] = [];
  const before = process.cpuUsage();
  const start = performance.now();
  await load(took);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return {
    orders: took.length,
    perSecond: took.length / seconds,
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
    maxMs: percentile(took, 1),
    clientUs: (user + system) / took.length,
  };
}

/** Every connection sends its next order as soon as the last one is answered. From written to read. */
async function closedLoop(perConnection: number, took: number[]): Promise<void> {
  await Promise.all(
    accounts.map(
      ({ connection, requests }) =>
        new Promise<void>((resolve, reject) => {
          let left = perConnection;
          const next = (): void => {
            const request = left === 0 ? undefined : requests.pop();
            if (request === undefined) {
              resolve();
              return;
            }
            left -= 1;
            const sentAt = performance.now();
            connection.send(
              request,
              () => {
                took.push(performance.now() - sentAt);
                next();
              },
              reject,
            );
          };
          next();
        }),
    ),
  );
}

/**
 * Orders come at random times, so many a second in the mean, whether the ones before were answered or not. An order that finds
 * every connection busy waits for one, and its time counts from when it came: a stall of the venue is not left out.
 */
function openLoop(orders: number, perSecond: number, took: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiting: number[] = [];
    const free = accounts.filter(({ requests }) => requests.length > 0);
    let come = 0;
    let dueMs = performance.now();
    const serve = (): void => {
      while (waiting.length > 0) {
        // The one that has been free for longest: all accounts send about as much.
        const account = free.shift();
        if (account === undefined) return;
        const request = account.requests.pop();
        if (request === undefined) continue;
        const cameAt = waiting.shift() ?? 0;
        const responded = (): void => {
          took.push(performance.now() - cameAt);
          free.push(account);
          if (took.length === orders) resolve();
          else serve();
        };
        account.connection.send(request, responded, reject);
      }
    };
    const tick = (): void => {
      const nowMs = performance.now();
      while (come < orders && dueMs <= nowMs) {
        come += 1;
        dueMs += random.exponential(1000 / perSecond);
        waiting.push(nowMs);
      }
      serve();
      if (come < orders) setTimeout(tick, 1);
    };
    tick();
  });
}
