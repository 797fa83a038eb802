import { chmodSync, lstatSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { makeFolder } from "./folder.ts";
import { OWNER_ONLY_FOLDER } from "./private-file.ts";
import { type BucketRate, TokenBucket } from "./token-bucket.ts";

/** Longest request and longest response, in characters. */
const MAX_REQUEST = 16_384;
const MAX_RESPONSE = 1_048_576;
/** Connections at the same time, and how many may be opened; the process that listens has other work. */
const MAX_CONNECTIONS = 32;
const CONNECTIONS: BucketRate = { atOnce: 40, perSecond: 20 };
/** Connections that wait to be accepted: they are accepted in one go. */
const BACKLOG = 16;
/** A connection that has sent no whole request by then is closed. */
const REQUEST_MS = 10_000;

export interface LocalServer {
  /** Stops listening, lets responses that are under way finish, and removes the socket's file. */
  close(): Promise<void>;
}

/**
 * Serves a Unix socket that only this user may open (mode 0600): one line in, one line out, then the connection ends. A socket that a
 * dead process left at `path` is replaced. Rejects when it cannot listen, a living process does, or the file is no socket.
 */
export async function serveLocal(
  path: string,
  respond: (line: string) => Promise<string>,
): Promise<LocalServer> {
  makeFolder(dirname(path), OWNER_ONLY_FOLDER);
  await removeDead(path);
  const sockets = new Set<Socket>();
  const responses = new Set<Promise<void>>();
  const opened = new TokenBucket(CONNECTIONS);
  const server = createServer((socket) => {
    if (sockets.size >= MAX_CONNECTIONS || !opened.take()) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    const served = serveOne(socket, respond);
    responses.add(served);
    void served.finally(() => responses.delete(served));
  });
  // The file gets its mode when it is made, so that there is no moment in which another user could connect.
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path, backlog: BACKLOG }, resolve);
    });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
  server.unref();
  return {
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await Promise.all(responses);
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Removes the socket of a dead process. Rejects when a living one listens at it, or when the file is no socket. */
async function removeDead(path: string): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (file === undefined) return;
  if (!file.isSocket()) throw new Error(`${path} exists and is no socket`);
  const socket = createConnection(path);
  const isAlive = await new Promise<boolean>((resolve) => {
    socket.once("error", () => resolve(false));
    socket.once("connect", () => resolve(true));
  });
  socket.destroy();
  if (isAlive) throw new Error(`another process listens at ${path}`);
  rmSync(path, { force: true });
}

async function serveOne(socket: Socket, respond: (line: string) => Promise<string>): Promise<void> {
  try {
    const line = await readLine(socket, MAX_REQUEST, REQUEST_MS);
    const response = await respond(line);
    await new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
      socket.end(`${response}\n`, () => resolve());
    });
  } catch {
    // The other side went away or sent no whole line: nobody waits for a response.
    socket.destroy();
  }
}

/**
 * Sends one line to a local socket and returns the line that comes back. Rejects when nobody listens (ENOENT, ECONNREFUSED) or no
 * whole line came within `timeoutMs`.
 */
export async function askLocal(path: string, line: string, timeoutMs: number): Promise<string> {
  const socket = createConnection(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("connect", resolve);
    });
    socket.write(`${line}\n`);
    return await readLine(socket, MAX_RESPONSE, timeoutMs);
  } finally {
    socket.destroy();
  }
}

function readLine(socket: Socket, longest: number, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`no line within ${timeoutMs} ms`)), timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    socket.setEncoding("utf8");
    socket.on("error", fail);
    socket.on("close", () => fail(new Error("the connection ended before a whole line")));
    socket.on("data", (part: string) => {
      text += part;
      const end = part.includes("\n") ? text.indexOf("\n") : -1;
      if (end < 0 && text.length <= longest) return;
      if (end < 0 || end > longest) {
        return fail(new Error(`a line of more than ${longest} characters`));
      }
      clearTimeout(timer);
      resolve(text.slice(0, end));
    });
  });
}
