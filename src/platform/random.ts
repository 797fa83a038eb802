/** Bytes from the operating system's random source; the same call in Node, pages and workers. */
export function secureBytes(count: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(count));
}

/** A seed for a Prng where nothing has to be secret: jitter, probe ids. */
export function randomSeed(): number {
  const [seed = 0] = globalThis.crypto.getRandomValues(new Uint32Array(1));
  return seed;
}
