/** Random bytes from the operating system; works in Node, browsers and workers. */
export function secureBytes(count: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(count));
}

/** Seed for a Prng whose output need not be secret: jitter, probe ids. */
export function randomSeed(): number {
  const [seed = 0] = globalThis.crypto.getRandomValues(new Uint32Array(1));
  return seed;
}
