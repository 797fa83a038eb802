import { Socket } from "node:net";

/** Most informational responses (1xx) before the final one; a server could go on sending them. */
export const INFORMATIONAL_MAX = 10;
/** Bytes that a parser gets at once: at most some 500 headers or 340 chunks of a body. */
const SLICE_BYTES = 2048;
/** Reading may take this long of one turn of the event loop. */
const TURN_MS = 2;

/**
 * Gives the code that reads a socket with `read` small slices, and no more of them in a turn of the event loop than fit into 2 ms. A response may consist
 * of tens of thousands of headers or chunks, of which each costs more than its bytes. A server that sends more than `most` bytes for one
 * request is cut off: what surrounds a body, such as a status line, need not end.
 */
export function limitReads(socket: Socket, most: number): void {
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
  let received = 0;
  let sent = 0;
  const count = (bytes: number): void => {
    // Requests follow each other, so what comes after one was sent is the response to it.
    if (socket.bytesWritten !== sent) [sent, received] = [socket.bytesWritten, 0];
    received += bytes;
    if (received > most) {
      socket.destroy(new Error(`it sent more than ${most} bytes for one response`));
    }
  };
  const read = (size?: number): unknown => Socket.prototype.read.call(socket, size);
  socket.read = (size) => {
    // Node asks for 0 bytes to have more of them received, and sees the end when nothing is left.
    if (size === 0 || socket.readableLength === 0) return read(size);
    // What a destroyed socket had received is not worth reading.
    if (socket.destroyed || isSpent()) return null;
    const bytes = Math.min(size ?? SLICE_BYTES, SLICE_BYTES, socket.readableLength);
    count(bytes);
    return read(bytes);
  };
}
