import type { ServerSocket, ServerSocketHandlers } from "../ports/server.ts";
import type { Socket, SocketHandlers } from "../ports/socket.ts";
import { hostOf, type VirtualTransport } from "./network-faults.ts";

const encoder = new TextEncoder();
/** Close code of a connection that ended without a handshake (RFC 6455 §7.1.5). */
const ABNORMAL = 1006;
const TOO_BIG = 1009;

/** Both ends of one WebSocket. Messages in one direction arrive in order, each after its latency. */
export class VirtualSocket {
  readonly #network: VirtualTransport;
  readonly #client: SocketHandlers;
  readonly #onOver: (socket: VirtualSocket) => void;
  #server: ServerSocketHandlers | undefined;
  #maxFrameBytes = Number.POSITIVE_INFINITY;
  /** Host and port of the server. */
  host = "";
  #clientIsOver = false;
  #serverIsOver = false;
  /** Half-open: messages are lost, and neither end notices. */
  #isHalfOpen = false;
  /** Arrival of the newest message in each direction; later ones must not overtake it. */
  readonly #arrivals = { up: Promise.resolve(), down: Promise.resolve() };
  #downBytes = 0;
  /** A push that arrives after the next one. */
  #held: Uint8Array | undefined;
  /** The venue has forgotten this connection's subscriptions to channels of this kind, except those that were made again since. */
  #lostKind: string | undefined;
  readonly #regained = new Set<string>();

  constructor(
    network: VirtualTransport,
    client: SocketHandlers,
    onOver: (socket: VirtualSocket) => void,
  ) {
    this.#network = network;
    this.#client = client;
    this.#onOver = onOver;
  }

  readonly client: Socket = {
    send: (text) => {
      if (this.#clientIsOver || this.#server === undefined) return;
      this.#up(() => this.#toServer(text));
    },
    ping: () => {
      if (this.#clientIsOver || this.#server === undefined) return;
      // The other end answers pings by itself.
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

  /** Breaks the connection; both ends notice. */
  cut(): void {
    this.#end(ABNORMAL, "cut");
  }

  /** Makes the connection half-open: messages are lost, and neither end notices. */
  makeHalfOpen(): void {
    this.#isHalfOpen = true;
  }

  /** The venue forgets this connection's subscriptions to channels of this kind; undefined: it remembers them. */
  loseChannels(kind: string | undefined): void {
    this.#lostKind = kind;
    this.#regained.clear();
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
          this.#pushed(text, data);
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
      freeze: () => this.makeHalfOpen(),
      get bufferedBytes() {
        return bufferedBytes();
      },
    };
  }

  /** A message of the server arrives, unless a fault of its channel keeps it back. */
  #pushed(text: string, data: Uint8Array): void {
    const { faults, more } = this.#network;
    const frame = (bytes: Uint8Array): void => this.#toClient((handlers) => handlers.frame(bytes));
    const [, channel, subject] = /"channel":"(\w+)@([^"]*)"/.exec(text) ?? [];
    // Responses to requests are no pushes.
    if (channel === undefined) {
      frame(data);
      return;
    }
    const { silentChannel } = this.#network;
    if ([faults.deadChannel, silentChannel].includes(channel) || subject === faults.deadMarket) {
      return;
    }
    if (channel === this.#lostKind && !this.#regained.has(`${channel}@${subject}`)) return;
    if (faults.loseFrame > 0 && more.chance(faults.loseFrame)) return;
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined && faults.swapFrame > 0 && more.chance(faults.swapFrame)) {
      this.#held = data;
      return;
    }
    frame(data);
    if (held !== undefined) frame(held);
    const double = Math.max(faults.doubleFrame, this.#network.alwaysDouble);
    if (double > 0 && more.chance(double)) frame(data);
  }

  #toServer(text: string): void {
    if (this.#serverIsOver) return;
    const data = encoder.encode(text);
    if (data.length > this.#maxFrameBytes) this.#end(TOO_BIG, "frame too long");
    else this.#server?.frame(data);
    if (this.#lostKind === undefined || !text.includes('"subscribe"')) return;
    for (const [, name = ""] of text.matchAll(/"(\w+@[^"]*)"/g)) this.#regained.add(name);
  }

  #toClient(run: (handlers: SocketHandlers) => void): void {
    if (!this.#clientIsOver) run(this.#client);
  }

  #up(deliver: () => void): void {
    this.#inOrder("up", deliver);
  }

  #down(deliver: () => void): void {
    this.#inOrder("down", deliver);
  }

  /** Delivers after the latency and after everything sent earlier. */
  #inOrder(direction: "up" | "down", deliver: () => void): void {
    const before = this.#arrivals[direction];
    this.#arrivals[direction] = new Promise((resolve) => {
      const arrive = async (): Promise<void> => {
        await before;
        resolve();
        // TCP loses nothing in the middle: after one lost message no other can arrive.
        if (this.#network.faults.frozen) this.#isHalfOpen = true;
        if (!this.#isHalfOpen) deliver();
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
    if (this.#serverIsOver) this.#onOver(this);
  }

  #serverOver(): void {
    if (this.#serverIsOver) return;
    this.#serverIsOver = true;
    this.#server?.closed();
    if (this.#clientIsOver) this.#onOver(this);
  }
}
