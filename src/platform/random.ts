import { randomBytes } from "node:crypto";

/** Bytes from the operating system's random source. */
export function secureBytes(count: number): Uint8Array {
  return new Uint8Array(randomBytes(count));
}

/** A seed for a Prng where nothing has to be secret: jitter, probe ids. */
export function randomSeed(): number {
  return randomBytes(4).readUInt32LE(0);
}
