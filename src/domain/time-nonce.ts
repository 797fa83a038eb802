/** From here on the venue reads a nonce as a time (D6). */
const FIRST_TIME_NONCE = 1_000_000_000_000;

/** Whether a number is a time nonce, Unix milliseconds; the venue counts smaller ones in sequence (D6). */
export function isTimeNonce(nonce: number): boolean {
  return nonce >= FIRST_TIME_NONCE;
}
