import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** State of a socket that listens, in `/proc/PID/net/tcp`. */
const LISTENS = "0A";

/** TCP ports that a process and those that it started listen on, in order. Linux only. */
export function listeningPorts(pid: number): readonly number[] {
  const ports = new Set(ownPorts(pid));
  for (const child of childrenOf(pid)) for (const port of listeningPorts(child)) ports.add(port);
  return [...ports].sort((left, right) => left - right);
}

function ownPorts(pid: number): readonly number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)),
  );
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
        if (state !== LISTENS || !sockets.has(`socket:[${inode}]`)) return [];
        return [Number.parseInt(local.split(":")[1] ?? "", 16)];
      }),
  );
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
}

/** Empty for a descriptor that was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
