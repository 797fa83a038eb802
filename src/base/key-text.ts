/** 32 bytes in hex, as private keys are written, and as hashes are. Digits on either side make it something else. */
const bare = /(?<![0-9a-fx])[0-9a-f]{64}(?![0-9a-f])/i;
const prefixed = /(?<![0-9a-f])0x[0-9a-f]{64}(?![0-9a-f])/i;

/** Whether a text contains what may be a private key: 64 hex digits, with or without `0x`. */
export function holdsKey(text: string): boolean {
  return bare.test(text) || prefixed.test(text);
}
