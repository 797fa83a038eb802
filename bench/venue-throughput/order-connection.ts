import { connect, type Socket } from "node:net";

/** A keep-alive connection with one order in flight at a time, as light as a client can be. */
export class OrderConnection {
  readonly #socket: Socket;
  #received = "";
  #responded: (() => void) | undefined;
  #failed: (error: Error) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data: Buffer) => this.#hear(data));
    socket.on("error", (error) => this.#failed(error));
    socket.on("close", () => this.#failed(new Error("the venue closed a connection")));
  }

  static open(port: number): Promise<OrderConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => {
        socket.off("error", reject);
        resolve(new OrderConnection(socket));
      });
      socket.once("error", reject);
    });
  }

  get isFree(): boolean {
    return this.#responded === undefined;
  }

  /** Writes a whole request; `answered` is called once its answer is read, `failed` for anything but a 200. */
  send(request: string, responded: () => void, failed: (error: Error) => void): void {
    this.#responded = responded;
    this.#failed = failed;
    this.#socket.write(request, "latin1");
  }

  #hear(data: Buffer): void {
    this.#received += data.toString("latin1");
    // The answers are JSON objects that come whole or not at all.
    if (!this.#received.endsWith("}")) return;
    const response = this.#received;
    const responded = this.#responded;
    this.#received = "";
    this.#responded = undefined;
    if (response.startsWith("HTTP/1.1 200 ")) responded?.();
    else this.#failed(new Error(response));
  }
}

/** A POST of a signed order, as an HTTP client writes it. */
export function orderRequest(port: number, tx: string): string {
  const body = `{"tx":"${tx}"}`;
  return (
    `POST /api/v1/order HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: keep-alive\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}
