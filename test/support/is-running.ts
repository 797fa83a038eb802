import { spawnSync } from "node:child_process";

/** Whether a process runs, by the list of processes. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  // One that has ended may still be listed, as a zombie.
  return /^[^Z]/.test(stdout);
}
