import type { ServerSocket, ServerSocketHandlers } from "../ports/server.ts";
import type { Socket, SocketHandlers } from "../ports/socket.ts";
import { hostOf, type Carrier } from "./network-faults.ts";

const encoder = new TextEncoder();
/** Close code of a connection that ended without a handshake (RFC 6455 §7.1.5). */
const ABNORMAL = 1006;
const TOO_BIG = 1009;

/** Both ends of one WebSocket. Messages of one direction arrive in order, each after its latency. */
export class VirtualSocket {
  readonly #network: Carrier;
  readonly #client: SocketHandlers;
  readonly #forget: (socket: VirtualSocket) => void;
  #server: ServerSocketHandlers | undefined;
  #maxFrameBytes = Number.POSITIVE_INFINITY;
  /** Host and port it was made to. */
  host = "";
  #clientIsOver = false;
  #serverIsOver = false;
  /** Half-open: nothing arrives any more, and nobody is told. */
  #isTorn = false;
  /** When the newest message of each direction arrives: none may overtake it. */
  readonly #arrivals = { up: Promise.resolve(), down: Promise.resolve() };
  #downBytes = 0;

  constructor(network: Carrier, client: SocketHandlers, forget: (socket: VirtualSocket) => void) {
    this.#network = network;
    this.#client = client;
    this.#forget = forget;
  }

  readonly client: Socket = {
    send: (text) => {
      if (this.#clientIsOver || this.#server === undefined) return;
      this.#up(() => this.#toServer(text));
    },
    ping: () => {
      if (this.#clientIsOver || this.#server === undefined) return;
      // The other end answers by itself.
      this.#up(() => this.#down(() => this.#toClient((handlers) => handlers.pong())));
    },
    close: () => this.#up(() => this.#end(1000, "")),
    terminate: () => {
      this.#network.timer.soon(() => this.#clientOver(ABNORMAL, ""));
      this.#up(() => this.#serverOver());
    },
  };

  connectTo(address: string): void {
    const url = URL.parse(address);
    const { timer, faults } = this.#network;
    this.host = url === null ? "" : hostOf(url);
    timer.after(this.#network.latencyMs(), () => {
      const options = this.#network.serverAt(this.host);
      if (faults.frozen) return;
      if (faults.refuse || options === undefined || url?.pathname !== options.socketPath) {
        this.#clientOver(ABNORMAL, "connection refused");
        return;
      }
      if (this.#clientIsOver) return;
      this.#maxFrameBytes = options.maxFrameBytes;
      this.#server = options.connected(this.#serverEnd);
      this.#down(() => this.#toClient((handlers) => handlers.opened()));
    });
  }

  /** Breaks the connection; both ends are told. */
  cut(): void {
    this.#end(ABNORMAL, "cut");
  }

  /** From now on nothing arrives in either direction, and nobody is told. */
  tear(): void {
    this.#isTorn = true;
  }

  get #serverEnd(): ServerSocket {
    const bufferedBytes = (): number => this.#downBytes;
    return {
      send: (text) => {
        if (this.#serverIsOver) return;
        const data = encoder.encode(text);
        this.#downBytes += data.length;
        this.#down(() => {
          this.#downBytes -= data.length;
          this.#toClient((handlers) => handlers.frame(data));
        });
      },
      ping: () => {
        if (this.#serverIsOver) return;
        this.#down(() => this.#up(() => this.#server?.pong()));
      },
      close: (code, reason) => this.#down(() => this.#end(code, reason)),
      terminate: () => {
        this.#network.timer.soon(() => this.#serverOver());
        this.#down(() => this.#clientOver(ABNORMAL, ""));
      },
      freeze: () => this.tear(),
      get bufferedBytes() {
        return bufferedBytes();
      },
    };
  }

  #toServer(text: string): void {
    if (this.#serverIsOver) return;
    const data = encoder.encode(text);
    if (data.length > this.#maxFrameBytes) this.#end(TOO_BIG, "frame too long");
    else this.#server?.frame(data);
  }

  #toClient(tell: (handlers: SocketHandlers) => void): void {
    if (!this.#clientIsOver) tell(this.#client);
  }

  #up(deliver: () => void): void {
    this.#inOrder("up", deliver);
  }

  #down(deliver: () => void): void {
    this.#inOrder("down", deliver);
  }

  /** After its latency, and after everything sent before it. */
  #inOrder(direction: "up" | "down", deliver: () => void): void {
    const before = this.#arrivals[direction];
    this.#arrivals[direction] = new Promise((resolve) => {
      const arrive = async (): Promise<void> => {
        await before;
        resolve();
        // TCP loses nothing in the middle: after one lost message no other arrives.
        if (this.#network.faults.frozen) this.#isTorn = true;
        if (!this.#isTorn) deliver();
      };
      this.#network.timer.after(this.#network.latencyMs(), () => {
        void arrive();
      });
    });
  }

  #end(code: number, reason: string): void {
    this.#clientOver(code, reason);
    this.#serverOver();
  }

  #clientOver(code: number, reason: string): void {
    if (this.#clientIsOver) return;
    this.#clientIsOver = true;
    if (this.#server === undefined) this.#serverIsOver = true;
    this.#client.closed(code, reason);
    if (this.#serverIsOver) this.#forget(this);
  }

  #serverOver(): void {
    if (this.#serverIsOver) return;
    this.#serverIsOver = true;
    this.#server?.closed();
    if (this.#clientIsOver) this.#forget(this);
  }
}
