import { connect, createServer, type Server, type Socket } from "node:net";

/** How the network fails: connections are refused, accepted but not forwarded, or read and forgotten. */
export type Outage = "refused" | "stopped" | "swallowed";
export const outages: readonly Outage[] = ["refused", "stopped", "swallowed"];

/** A network between a bot and its venue: it forwards bytes and can fail. */
export class Gate {
  readonly #target: number;
  readonly #pairs = new Map<Socket, Socket>();
  #server: Server | undefined;
  #port = 0;
  #outage: Outage | undefined;

  constructor(targetPort: number) {
    this.#target = targetPort;
  }

  get port(): number {
    return this.#port;
  }

  async open(): Promise<void> {
    const server = createServer({ pauseOnConnect: true }, (client) => this.#connected(client));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    const address = server.address();
    this.#port = typeof address === "object" && address !== null ? address.port : this.#port;
  }

  async fail(outage: Outage): Promise<void> {
    this.#outage = outage;
    if (outage === "refused") {
      await this.close();
      return;
    }
    for (const [client, upstream] of this.#pairs) {
      for (const socket of [client, upstream]) {
        socket.unpipe();
        if (outage === "stopped") socket.pause();
        else socket.resume();
      }
    }
  }

  /** Connections of the outage end; new ones are forwarded. */
  async recover(): Promise<void> {
    this.#outage = undefined;
    this.#cut();
    if (this.#server === undefined) await this.open();
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#cut();
    await new Promise<void>((resolve) => {
      if (server === undefined) resolve();
      else server.close(() => resolve());
    });
  }

  #connected(client: Socket): void {
    const upstream = connect(this.#target, "127.0.0.1");
    this.#pairs.set(client, upstream);
    const end = (): void => {
      this.#pairs.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", end);
    }
    if (this.#outage === undefined) {
      client.pipe(upstream);
      upstream.pipe(client);
    } else if (this.#outage === "swallowed") {
      client.resume();
    }
  }

  #cut(): void {
    for (const [client, upstream] of this.#pairs) {
      client.destroy();
      upstream.destroy();
    }
    this.#pairs.clear();
  }
}
