import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { OrderId } from "../../src/domain/ids.ts";
import { VenueClient } from "../../src/gateway/venue-client.ts";
import { createHttp } from "../../src/platform/http.ts";
import type { SignedCommand } from "../../src/spec/sign-command.ts";
import type { BenchCase } from "../bench-case.ts";

/** Requests open at the same time: the bot's default. */
const IN_FLIGHT = 8;
/** Length of a signed order. */
const ORDER_BYTES = 273;

/** Posts an order; true when the venue responds with its hash. */
type Post = (order: SignedCommand) => Promise<boolean>;

const bench = path.join(import.meta.dirname, "..");

/**
 * G8: the processor time (all threads of this process) of posting one signed order over loopback and reading its answer, 8 in
 * flight. Ours is what runs live: the venue's client with its envelope checks and time-outs over the HTTP port. The peers post the
 * same body and read the same field of the answer. The venue is another process.
 */
export const orderPost: BenchCase = {
  goal: "G8",
  title: "processor time of one order POST over loopback",
  unit: "us",
  async prepare() {
    const venue = spawn(
      process.execPath,
      [...process.execArgv, path.join(bench, "order-post/canned-venue.ts")],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    const [line] = (await once(venue.stdout, "data")) as [Buffer];
    const rest = `http://127.0.0.1:${line.toString().trim()}`;
    const url = `${rest}/api/v1/order`;
    const orders = Array.from({ length: 64 }, fakeOrder);

    const http = createHttp({ connectionsPerOrigin: IN_FLIGHT });
    const client = new VenueClient({ http, rest });
    const posts: [name: string, post: Post][] = [
      ["touchline", async (order) => (await client.submit("place", order)).type === "accepted"],
      ["global fetch", (order) => postWithFetch(url, order)],
    ];
    const axios = await axiosPost(url);
    if (axios !== undefined) posts.push(["axios", axios]);

    let refused = 0;
    const loop = (post: Post) => async (iterations: number) => {
      let next = 0;
      const lane = async (): Promise<void> => {
        while (next < iterations) {
          const order = orders[next % orders.length];
          next += 1;
          if (order !== undefined && !(await post(order))) refused += 1;
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    };
    return {
      clock: "processor",
      sides: posts.map(([name, post]) => ({ name, run: loop(post) })),
      check: () => (refused > 0 ? `${refused} answers had not the order's hash` : undefined),
      missing: axios === undefined ? ["axios is not installed: npm ci --prefix bench"] : [],
      async close() {
        await http.close();
        venue.stdin.end();
        await once(venue, "exit");
      },
    };
  },
};

/** Bytes of an order's length, with the hash that the canned venue responds with. */
function fakeOrder(): SignedCommand {
  const bytesHex = `0x${randomBytes(ORDER_BYTES).toString("hex")}`;
  const txHash = `0x${createHash("sha256").update(bytesHex).digest("hex")}` as OrderId;
  return { bytesHex, txHash };
}

interface ResponseBody {
  readonly code: number;
  readonly result: string;
}

async function postWithFetch(url: string, { bytesHex, txHash }: SignedCommand): Promise<boolean> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tx: bytesHex }),
  });
  const body = (await response.json()) as ResponseBody;
  return body.code === 200 && body.result === txHash;
}

interface AxiosModule {
  readonly default: {
    create(options: object): {
      post(url: string, body: object): Promise<{ readonly data: ResponseBody }>;
    };
  };
}

/** axios with a keep-alive agent, which it does not have by itself; undefined when it is not installed. */
async function axiosPost(url: string): Promise<Post | undefined> {
  const file = path.join(bench, "node_modules/axios/index.js");
  if (!existsSync(file)) return undefined;
  const { Agent } = await import("node:http");
  const { default: axios } = (await import(pathToFileURL(file).href)) as AxiosModule;
  const client = axios.create({ httpAgent: new Agent({ keepAlive: true }) });
  return async ({ bytesHex, txHash }) => {
    const { data } = await client.post(url, { tx: bytesHex });
    return data.code === 200 && data.result === txHash;
  };
}
