import type { Timer } from "../ports/clock.ts";
import type { RunningServer, ServerFactory, ServerSocket } from "../ports/server.ts";

const host = "127.0.0.1";
const port = 8730;
const socketPath = "/prices";
/** Where the sources of a simulated bot listen. */
export const PRICES_URL = `ws://${host}:${port}${socketPath}`;

/** Half of the spread, as a share. */
const HALF = 0.0001;
/** A price moves by no more than this share from one message to the next, so that only a fault makes it jump. */
const STEP = 0.001;

/** What a server of prices may do wrong. */
export interface PriceFaults {
  isSilent: boolean;
  /** Messages leave this much later. */
  lateMs: number;
  /** Prices are multiplied with this. */
  factor: number;
  impossible: ImpossiblePrice | undefined;
}

export type ImpossiblePrice = "zero" | "negative" | "crossed" | "text";

export const noPriceFaults: Readonly<PriceFaults> = {
  isSilent: false,
  lateMs: 0,
  factor: 1,
  impossible: undefined,
};

export interface PriceServerOptions {
  readonly timer: Timer & { readonly elapsedMs: number };
  readonly servers: ServerFactory;
  /** The venue's price at present; undefined while it has none. */
  mid(): number | undefined;
  /** The server's clock. */
  nowMs(): number;
}

/** A service that sends prices near the venue's to its clients, and fails at times. */
export class PriceServer {
  readonly faults: PriceFaults = { ...noPriceFaults };
  readonly #options: PriceServerOptions;
  readonly #sockets = new Set<ServerSocket>();
  #server: RunningServer | undefined;
  #price: number | undefined;
  /** When the newest message leaves: none overtakes another. */
  #leavesMs = 0;
  #isClosed = false;

  constructor(options: PriceServerOptions) {
    this.#options = options;
  }

  /** Listens, and sends a price every so often. */
  async start(everyMs: number): Promise<void> {
    await this.listen();
    this.#tick(everyMs);
  }

  async listen(): Promise<void> {
    this.#server = await this.#options.servers.listen({
      host,
      port,
      socketPath,
      maxBodyBytes: 0,
      maxFrameBytes: 1024,
      respond: () => ({ status: 404, body: "" }),
      connected: (socket) => {
        this.#sockets.add(socket);
        return {
          frame: () => undefined,
          pong: () => undefined,
          closed: () => this.#sockets.delete(socket),
        };
      },
    });
  }

  /** Ends every connection and accepts none, until `listen`. */
  refuse(): void {
    void this.#server?.close();
    this.#server = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.refuse();
  }

  #tick(everyMs: number): void {
    if (this.#isClosed) return;
    const { timer } = this.#options;
    const text = this.#message();
    if (text !== undefined) {
      this.#leavesMs = Math.max(this.#leavesMs, timer.elapsedMs + this.faults.lateMs);
      timer.after(this.#leavesMs - timer.elapsedMs, () => {
        for (const socket of this.#sockets) socket.send(text);
      });
    }
    timer.after(everyMs, () => this.#tick(everyMs));
  }

  #message(): string | undefined {
    const { isSilent, factor, impossible } = this.faults;
    const mid = this.#options.mid();
    if (mid !== undefined) {
      const before = this.#price ?? mid;
      this.#price = Math.min(before * (1 + STEP), Math.max(before * (1 - STEP), mid));
    }
    if (isSilent || this.#price === undefined) return undefined;
    const price = this.#price * factor;
    const right = { bid: price * (1 - HALF), ask: price * (1 + HALF) };
    const time = this.#options.nowMs();
    return JSON.stringify({ ...right, ...wrong(impossible, right), time });
  }
}

function wrong(
  how: ImpossiblePrice | undefined,
  { bid, ask }: { readonly bid: number; readonly ask: number },
): Readonly<Record<string, number | string>> {
  switch (how) {
    case "zero":
      return { bid: 0 };
    case "negative":
      return { bid: -bid, ask: -bid };
    case "crossed":
      return { bid: ask * 1.01, ask: bid };
    case "text":
      return { ask: "a price" };
    case undefined:
      return {};
  }
}
