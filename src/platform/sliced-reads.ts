import type { Server } from "node:http";
import { Socket } from "node:net";
import type { Turns } from "./turns.ts";

/** Bytes that the parser of HTTP reads at once: a signed order, or at most 57 requests or 170 chunks of a body. */
const SLICE_BYTES = 1024;

const NOTHING: Buffer = Buffer.alloc(0);

/** Node's code that reads requests from a connection. */
interface RequestReader {
  parse(bytes: Buffer): void;
  /** The client has sent everything. */
  end(): void;
}

/**
 * Hands the bytes of a server's connections to Node's parser in slices, each as work of `turns`. Otherwise the parser reads up to 64 KiB of each
 * connection in one turn: thousands of requests, before any of them can be refused.
 */
export class SlicedReads {
  readonly #connections = new WeakMap<object, Connection>();
  readonly #turns: Pick<Turns, "run">;

  constructor(turns: Pick<Turns, "run">) {
    this.#turns = turns;
  }

  /** Call it once, before the first connection. */
  sliceAll(server: Server): void {
    server.on("connection", (socket: Socket) => {
      const [parse] = socket.listeners("data");
      const [endSocket, endRequests] = socket.listeners("end");
      if (parse === undefined || endSocket === undefined || endRequests === undefined) return;
      socket.removeAllListeners("data");
      socket.removeAllListeners("end");
      socket.once("end", () => endSocket.call(socket));
      const reader: RequestReader = {
        parse: (bytes) => void Reflect.apply(parse, socket, [bytes]),
        end: () => endRequests.call(socket),
      };
      this.#connections.set(socket, new Connection(socket, reader, this.#turns));
    });
  }

  /** Reads nothing more of a connection until `go`. */
  stop(socket: object): void {
    this.#connections.get(socket)?.stop();
  }

  go(socket: object): void {
    this.#connections.get(socket)?.go();
  }

  /** Ends the slicing of a connection that stops being HTTP. Returns what was received behind `head`, with `head` before it. */
  release(socket: object, head: Buffer): Buffer {
    const rest = this.#connections.get(socket)?.release() ?? NOTHING;
    return rest.length === 0 ? head : Buffer.concat([head, rest]);
  }
}

/** A connection flows while nothing waits for the parser and nobody has paused or stopped it. */
class Connection {
  readonly #socket: Socket;
  readonly #reader: RequestReader;
  readonly #turns: Pick<Turns, "run">;
  /** Received, and not yet handed to the parser. */
  #rest = NOTHING;
  /** Node or a handler has called `pause`. */
  #isPaused = false;
  #isStopped = false;
  #isParsing = false;
  /** The client has sent everything, and the reader does not know it yet. */
  #hasEnded = false;
  /** Work for a later turn is scheduled. */
  #isWaiting = false;

  constructor(socket: Socket, reader: RequestReader, turns: Pick<Turns, "run">) {
    this.#socket = socket;
    this.#reader = reader;
    this.#turns = turns;
    socket.pause = () => {
      this.#isPaused = true;
      return Socket.prototype.pause.call(socket);
    };
    socket.resume = () => {
      this.#isPaused = false;
      this.#next();
      return socket;
    };
    socket.on("data", this.#take);
    socket.on("end", this.#end);
  }

  stop(): void {
    this.#isStopped = true;
    Socket.prototype.pause.call(this.#socket);
  }

  go(): void {
    this.#isStopped = false;
    this.#next();
  }

  release(): Buffer {
    const rest = this.#rest;
    this.#rest = NOTHING;
    this.#socket.off("data", this.#take);
    this.#socket.off("end", this.#end);
    this.#socket.pause = Socket.prototype.pause;
    this.#socket.resume = Socket.prototype.resume;
    return rest;
  }

  /** Nothing else waits when it is called, since the socket does not flow meanwhile. */
  readonly #take = (bytes: Buffer): void => {
    this.#rest = bytes;
    this.#next();
  };

  readonly #end = (): void => {
    this.#hasEnded = true;
    this.#next();
  };

  #next(): void {
    if (this.#isParsing || this.#isWaiting) return;
    if (this.#hasEnded && this.#rest.length === 0) {
      this.#hasEnded = false;
      // Node aborts a request that has no response at the end: it reads the end a turn after the last bytes.
      setImmediate(() => this.#reader.end());
    }
    if (this.#isPaused || this.#isStopped) return;
    if (this.#rest.length === 0) {
      Socket.prototype.resume.call(this.#socket);
      return;
    }
    this.#isWaiting = true;
    const isDone = this.#turns.run(() => {
      this.#isWaiting = false;
      this.#parseSlice();
    });
    if (!isDone) Socket.prototype.pause.call(this.#socket);
  }

  #parseSlice(): void {
    // Nobody reads a response any more.
    if (!this.#socket.writable) this.#rest = NOTHING;
    if (this.#isPaused || this.#isStopped || this.#rest.length === 0) return;
    const slice = this.#rest.subarray(0, SLICE_BYTES);
    this.#rest = this.#rest.subarray(SLICE_BYTES);
    if (this.#rest.length > 0) Socket.prototype.pause.call(this.#socket);
    this.#isParsing = true;
    this.#reader.parse(slice);
    this.#isParsing = false;
    this.#next();
  }
}
