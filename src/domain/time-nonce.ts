/** The venue reads a nonce of at least this value as a time in Unix ms (D6). */
export const TIME_NONCE_FROM = 1e12;

/** Whether the venue reads this nonce as a time (D6). A clock that shows less is wrong by decades. */
export function isTimeNonce(nonce: number): boolean {
  return nonce >= TIME_NONCE_FROM;
}
