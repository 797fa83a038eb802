import { connect } from "node:net";

/** Sends bytes to a port of this machine, then collects what comes back until the connection ends. */
export function sendRaw(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let response = "";
    socket.on("data", (data) => {
      response += data.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(response));
  });
}
