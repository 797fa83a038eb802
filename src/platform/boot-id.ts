import { readFileSync } from "node:fs";

/** Names this start of the machine; undefined on systems that do not tell (all but Linux). Containers share their host's. */
export function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}
