import { Socket } from "node:net";

/** Most informational responses (1xx) before the final one; a server could go on sending them. */
export const INFORMATIONAL_MAX = 10;
/** Bytes that a parser gets at once: at most some 500 headers or 340 chunks of a body. */
const SLICE_BYTES = 2048;
/** Reading may take this long of one turn of the event loop. */
const TURN_MS = 2;

/**
 * Gives the code that reads a socket with `read` small slices, and no more of them in a turn of the event loop than fit into 2 ms. A response may consist
 * of tens of thousands of headers or chunks, of which each costs more than its bytes.
 */
export function limitReads(socket: Socket): void {
  let startMs: number | undefined;
  const nextTurn = (): void => {
    startMs = undefined;
    if (socket.readableLength > 0 && !socket.destroyed) socket.emit("readable");
  };
  const isSpent = (): boolean => {
    const nowMs = performance.now();
    if (startMs !== undefined) return nowMs - startMs > TURN_MS;
    startMs = nowMs;
    setImmediate(nextTurn);
    return false;
  };
  const read = (size?: number): unknown => Socket.prototype.read.call(socket, size);
  socket.read = (size) => {
    // Node asks for 0 bytes to have more of them received, and sees the end when nothing is left.
    if (size === 0 || socket.readableLength === 0) return read(size);
    // What a destroyed socket had received is not worth reading.
    if (socket.destroyed || isSpent()) return null;
    return read(Math.min(size ?? SLICE_BYTES, SLICE_BYTES, socket.readableLength));
  };
}
