/**
 * Counts the received fields that decoding dropped: the venue may add fields, which are tolerated. Of a list only the first
 * element is checked.
 */
export function countExtraFields(raw: unknown, decoded: unknown): number {
  if (typeof raw !== "object" || raw === null) return 0;
  if (typeof decoded !== "object" || decoded === null) return 0;
  if (Array.isArray(raw)) return Array.isArray(decoded) ? countExtraFields(raw[0], decoded[0]) : 0;
  let count = 0;
  const known = decoded as Readonly<Record<string, unknown>>;
  for (const [name, inner] of Object.entries(raw)) {
    count += Object.hasOwn(known, name) ? countExtraFields(inner, known[name]) : 1;
  }
  return count;
}
