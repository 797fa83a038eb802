/** Key of the account behind a connection; for measuring only. */
export function accountKey(connection: number): Uint8Array {
  return new Uint8Array(32).fill(1 + connection);
}
