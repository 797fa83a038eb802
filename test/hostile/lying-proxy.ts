import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { WebSocket, WebSocketServer } from "ws";
import type { ChannelKind } from "../../src/spec/channels.ts";
import { type EndpointName, endpoints } from "../../src/spec/endpoints.ts";

/** A record of the venue, as JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** A response that is no envelope of the venue; status 0: none ever comes. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is changed on the way from the venue to the bot. `count` is how often it was changed before. */
export type Tell =
  | {
      readonly answer: EndpointName;
      /** The changed `result` of a successful response. `address` is the account of the request. */
      change(result: unknown, count: number, address: string): unknown;
    }
  | {
      readonly answer: EndpointName | "all";
      readonly raw: RawAnswer;
      /** Whether the request reaches the venue all the same. */
      readonly isForwarded: boolean;
    }
  | {
      readonly channel: ChannelKind;
      /** The payloads that the bot gets in the place of this one. */
      push(payload: Fields, count: number): readonly unknown[];
    }
  | {
      readonly channel: "all";
      /** The frames that the bot gets in the place of this one; `cut` closes the connection. */
      frames(text: string, count: number): readonly string[] | "cut";
    };

/** A proxy between a bot and a venue over real HTTP and WebSocket, which tells a lie while it is switched on. */
export class LyingProxy {
  readonly #venue: { readonly rest: string; readonly ws: string };
  readonly #tells: readonly Tell[];
  readonly #counts = new Map<Tell, number>();
  readonly #sockets = new Set<WebSocket>();
  readonly #server = createServer((request, response) => void this.#pass(request, response));
  readonly #streams = new WebSocketServer({ server: this.#server, path: "/ws" });
  #port = 0;
  isLying = false;

  private constructor(
    venue: { readonly rest: string; readonly ws: string },
    tells: readonly Tell[],
  ) {
    this.#venue = venue;
    this.#tells = tells;
  }

  static async start(
    venue: { readonly rest: string; readonly ws: string },
    tells: readonly Tell[],
  ): Promise<LyingProxy> {
    const proxy = new LyingProxy(venue, tells);
    await proxy.#listen();
    return proxy;
  }

  get rest(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get ws(): string {
    return `ws://127.0.0.1:${this.#port}/ws`;
  }

  /** How many answers and messages were changed. */
  get told(): number {
    let sum = 0;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    this.#streams.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  async #listen(): Promise<void> {
    this.#streams.on("connection", (client) => this.#relay(client));
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    const address = this.#server.address();
    this.#port = typeof address === "object" && address !== null ? address.port : 0;
  }

  #count(tell: Tell): number {
    const count = this.#counts.get(tell) ?? 0;
    this.#counts.set(tell, count + 1);
    return count;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "GET", url = "/" } = request;
    const name = endpointOf(method, url.split("?", 1)[0] ?? "");
    const tells = this.isLying ? this.#tells : [];
    const raw = tells.find(
      (tell) => "raw" in tell && (tell.answer === "all" || tell.answer === name),
    );
    const isForwarded = raw === undefined || ("isForwarded" in raw && raw.isForwarded);
    const truth = isForwarded ? await this.#forward(method, url, Buffer.concat(chunks)) : undefined;
    if (raw !== undefined && "raw" in raw) {
      this.#count(raw);
      if (raw.raw.status === 0) return;
      response.writeHead(raw.raw.status, {
        "content-type": "application/json",
        ...raw.raw.headers,
      });
      response.end(raw.raw.body);
      return;
    }
    let body = truth?.body ?? "";
    for (const tell of tells) {
      if (!("change" in tell) || tell.answer !== name || truth?.status !== 200) continue;
      const envelope = JSON.parse(body);
      body = JSON.stringify({
        ...envelope,
        result: tell.change(envelope.result, this.#count(tell), accountOf(url)),
      });
    }
    response.writeHead(truth?.status ?? 502, { "content-type": "application/json" });
    response.end(body);
  }

  async #forward(
    method: string,
    url: string,
    body: Buffer,
  ): Promise<{ readonly status: number; readonly body: string } | undefined> {
    try {
      const sent = method === "POST" ? { body: body.toString("utf8") } : {};
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${this.#venue.rest}${url}`, { method, headers, ...sent });
      return { status: answer.status, body: await answer.text() };
    } catch {
      return undefined;
    }
  }

  #relay(client: WebSocket): void {
    const upstream = new WebSocket(this.#venue.ws);
    const waiting: string[] = [];
    this.#sockets.add(client);
    client.on("message", (data: Buffer) => {
      const text = data.toString("utf8");
      if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
      else waiting.push(text);
    });
    upstream.on("open", () => {
      for (const text of waiting.splice(0)) upstream.send(text);
    });
    upstream.on("message", (data: Buffer) => {
      const frames = this.#frames(data.toString("utf8"));
      if (frames === "cut") client.terminate();
      else for (const frame of frames) client.send(frame);
    });
    upstream.on("close", () => client.close());
    upstream.on("error", () => client.terminate());
    client.on("error", () => client.terminate());
    client.on("close", () => {
      this.#sockets.delete(client);
      upstream.close();
    });
  }

  #frames(text: string): readonly string[] | "cut" {
    if (!this.isLying) return [text];
    const message = JSON.parse(text);
    const kind = String(message.params?.channel ?? "").split("@", 1)[0];
    for (const tell of this.#tells) {
      if ("frames" in tell) return tell.frames(text, this.#count(tell));
      if (!("push" in tell) || tell.channel !== kind) continue;
      const told = tell.push(message.params.result, this.#counts.get(tell) ?? 0);
      if (told.length !== 1 || told[0] !== message.params.result) this.#count(tell);
      return told.map((result) =>
        JSON.stringify({ ...message, params: { ...message.params, result } }),
      );
    }
    return [text];
  }
}

/** The account that a request asks about; empty when it names none. */
function accountOf(path: string): string {
  return new URL(path, "http://localhost").searchParams.get("address") ?? "";
}

/** The endpoint of a request; undefined when the venue has none. Fixed paths go before those with a parameter. */
function endpointOf(method: string, path: string): EndpointName | undefined {
  const all = Object.entries(endpoints) as [EndpointName, (typeof endpoints)[EndpointName]][];
  const own = all.filter((entry) => entry[1].method === method);
  const fixed = own.find((entry) => entry[1].path === path);
  if (fixed !== undefined) return fixed[0];
  return own.find((entry) => patternOf(entry[1].path).test(path))?.[0];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
}
