import { TransportError } from "../base/error.ts";
import type { Timer } from "../ports/clock.ts";

/** Attempts to read a growing list, more than a second apart: windows must not reach into the venue's current second. */
const TRIES = 4;
const PAUSE_MS = 1_100;

/** Reads a list again while it grows faster than its pages can be requested (`LIST_MOVING`). */
export async function readMovingList<Rows>(timer: Timer, read: () => Promise<Rows>): Promise<Rows> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      const isMoving = error instanceof TransportError && error.code === "LIST_MOVING";
      if (!isMoving || attempt >= TRIES) throw error;
      await new Promise<void>((resolve) => {
        timer.after(PAUSE_MS, resolve);
      });
    }
  }
}
