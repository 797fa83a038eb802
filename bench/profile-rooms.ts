import { readFileSync } from "node:fs";

/**
 * `node bench/profile-rooms.ts FILE.cpuprofile`: the time of each room of `src/` in a profile that `node --cpu-prof` wrote, as a Markdown
 * table. `own`: its code and what that calls outside `src/`, the file system for example. `with calls`: everything below its functions, other
 * rooms included. Shares are of the time in which the thread was not idle.
 */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface RoomTime {
  readonly room: string;
  readonly ownUs: number;
  readonly withCallsUs: number;
}

/** Times by room, most first; `busyUs` leaves out idle time and the program's own start. */
export function roomTimes(profile: Profile): {
  readonly busyUs: number;
  readonly rooms: readonly RoomTime[];
} {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const selfUs = new Map<number, number>();
  for (const [at, id] of profile.samples.entries()) {
    selfUs.set(id, (selfUs.get(id) ?? 0) + (profile.timeDeltas[at] ?? 0));
  }
  const own = new Map<string, number>();
  const withCalls = new Map<string, number>();
  const add = (times: Map<string, number>, room: string, us: number): void => {
    times.set(room, (times.get(room) ?? 0) + us);
  };
  let busyUs = 0;
  const visit = (node: ProfileNode, nearest: string, above: ReadonlySet<string>): void => {
    const room = roomOf(node.callFrame.url);
    const below = room === undefined || above.has(room) ? above : new Set([...above, room]);
    const current = room ?? nearest;
    const us = node.callFrame.functionName === "(idle)" ? 0 : (selfUs.get(node.id) ?? 0);
    busyUs += us;
    add(own, current, us);
    for (const each of below) add(withCalls, each, us);
    for (const id of node.children ?? []) {
      const child = nodes.get(id);
      if (child !== undefined) visit(child, current, below);
    }
  };
  const [root] = profile.nodes;
  if (root !== undefined) visit(root, "outside of src", new Set());
  const rooms = [...own]
    .map(([room, ownUs]) => ({ room, ownUs, withCallsUs: withCalls.get(room) ?? ownUs }))
    .sort((left, right) => right.withCallsUs - left.withCallsUs);
  return { busyUs, rooms };
}

function roomOf(url: string): string | undefined {
  return /\/src\/([a-z]+)\//.exec(url)?.[1];
}

if (import.meta.main) {
  const [, , file] = process.argv;
  if (file === undefined) throw new Error("Give the file that `node --cpu-prof` wrote.");
  const { busyUs, rooms } = roomTimes(JSON.parse(readFileSync(file, "utf8")) as Profile);
  const share = (us: number): string => `${((100 * us) / busyUs).toFixed(1)} %`;
  console.log(
    `busy for ${(busyUs / 1e6).toFixed(2)} s\n\n| room | own | with calls |\n|---|---|---|`,
  );
  for (const { room, ownUs, withCallsUs } of rooms) {
    console.log(`| ${room} | ${share(ownUs)} | ${share(withCallsUs)} |`);
  }
}
