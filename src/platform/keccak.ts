import { createKeccak } from "hash-wasm";
import type { Keccak256 } from "../spec/transaction.ts";
import { provenKeccak256 } from "./proven-crypto.ts";

/** keccak-256 in WebAssembly. node:crypto's is missing on Node 24, is no faster between two signatures, and is slower when cold. */
export async function createKeccak256(): Promise<Keccak256> {
  const hasher = await createKeccak(256);
  return (bytes) => hasher.init().update(bytes).digest("binary");
}

/** keccak-256 for commands that never sign, such as a replay: no library that signs is loaded. Rejects with `CRYPTO_WRONG` when the hash is wrong. */
export async function loadKeccak256(): Promise<Keccak256> {
  return provenKeccak256(await createKeccak256());
}
