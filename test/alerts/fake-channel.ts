import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How a fake answers one request: a response, none at all, or a connection that is cut. */
export type FakeResponse =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  | "hang"
  | "cut";

/**
 * The other side of a channel: a server on loopback that keeps what it received. It answers as Slack does (200 `ok`) or Discord (204), and
 * otherwise what `next` lists.
 */
export class FakeChannel {
  readonly received: ReceivedPost[] = [];
  /** Responses of the next requests; afterwards the usual one. */
  readonly next: FakeResponse[] = [];
  usual: FakeResponse = { status: 200, body: "ok" };
  readonly #server: Server;
  #waiting: (() => void)[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      request.on("end", () => {
        const { url: path = "", headers } = request;
        const body = JSON.parse(text === "" ? "{}" : text) as ReceivedPost["body"];
        this.received.push({ path, headers, body });
        const answer = this.next.shift() ?? this.usual;
        if (answer === "cut") request.socket.destroy();
        else if (answer !== "hang") {
          const { status, headers: more, body: sent = "" } = answer;
          response.writeHead(status, { "content-type": "application/json", ...more });
          response.end(status === 204 ? "" : JSON.stringify(sent));
        }
        for (const found of this.#waiting.splice(0)) found();
      });
    });
  }

  static async start(): Promise<FakeChannel> {
    const fake = new FakeChannel();
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves once so many requests have come. */
  async until(count: number): Promise<void> {
    while (this.received.length < count) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
