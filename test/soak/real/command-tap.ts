import { Transaction } from "ethers";
import { createServer, type IncomingMessage, request as httpRequest, Agent } from "node:http";
import { connect, type AddressInfo } from "node:net";

/** A command of the bot, as it arrived at the venue's door. */
export interface TappedCommand {
  readonly atMs: number;
  readonly path: string;
  readonly txHash: string;
  readonly nonce: number;
  readonly bytes: string;
  /** The order that a cancel or modify ends. */
  readonly endsOrder: string | undefined;
  /** The venue's status code; undefined before it has responded. */
  status: number | undefined;
}

/**
 * Stands before the venue, forwards everything, and records every command with the venue's response, even when the bot that sent it is
 * dead by then. Decodes with ethers, not with the bot's code.
 */
export class CommandTap {
  readonly commands: TappedCommand[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #venuePort: number;
  readonly #server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    // A request that its sender's death cut off is not forwarded.
    incoming.on("error", () => outgoing.destroy());
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const command = this.#tapped(incoming, body);
      const upstream = httpRequest(
        {
          host: "127.0.0.1",
          port: this.#venuePort,
          agent: this.#agent,
          method: incoming.method,
          path: incoming.url,
          headers: incoming.headers,
        },
        (response) => {
          if (command !== undefined) command.status = response.statusCode;
          outgoing.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(outgoing);
        },
      );
      upstream.on("error", () => outgoing.destroy());
      upstream.end(body);
    });
  });

  constructor(venuePort: number) {
    this.#venuePort = venuePort;
    this.#server.on("upgrade", (incoming: IncomingMessage, socket, head: Buffer) => {
      const upstream = connect(venuePort, "127.0.0.1", () => {
        const lines = [`GET ${incoming.url} HTTP/1.1`];
        for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
          lines.push(`${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}`);
        }
        upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      const end = (): void => {
        upstream.destroy();
        socket.destroy();
      };
      for (const each of [upstream, socket]) each.on("error", end).on("close", end);
    });
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #tapped({ method, url = "" }: IncomingMessage, body: Buffer): TappedCommand | undefined {
    if (method !== "POST") return undefined;
    const { tx } = JSON.parse(body.toString("utf8"));
    const { hash, nonce, data } = Transaction.from(tx);
    const context = JSON.parse(Buffer.from(data.slice(4), "hex").toString("utf8"));
    const command: TappedCommand = {
      atMs: Date.now(),
      path: url,
      txHash: String(hash),
      nonce,
      bytes: tx,
      endsOrder: context.orderId,
      status: undefined,
    };
    this.commands.push(command);
    return command;
  }
}

/**
 * Commands whose nonce another command has too, and commands that were sent more than once: sentences, none when all is well. A guard sends
 * the cancels that it holds until the venue has answered, so `mayRepeatCancels` where there is one.
 */
export function doubled(
  commands: readonly TappedCommand[],
  mayRepeatCancels = false,
): readonly string[] {
  const byNonce = new Map<number, string>();
  const problems: string[] = [];
  for (const { nonce, bytes, path } of commands) {
    const before = byNonce.get(nonce);
    const isRepeat = before === bytes && mayRepeatCancels && path.endsWith("/cancel");
    if (isRepeat) continue;
    if (before === bytes) problems.push(`${path} with nonce ${nonce} was sent twice`);
    else if (before !== undefined) problems.push(`nonce ${nonce} signs two commands`);
    byNonce.set(nonce, bytes);
  }
  return problems;
}
