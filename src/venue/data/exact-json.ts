/**
 * JSON of plain data with exact amounts, maps and flat levels in it: each of those becomes an object of one field whose name no
 * record of ours has.
 */
const BIGINT = "$bigint";
const MAP = "$map";
const FLOATS = "$floats";

export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "bigint") return { [BIGINT]: String(inner) };
    if (inner instanceof Map) return { [MAP]: [...inner] };
    if (inner instanceof Float64Array) return { [FLOATS]: [...inner] };
    return inner;
  });
}

/** The inverse of `exactJson`; what was undefined is missing. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null) return inner;
    if (BIGINT in inner) return BigInt(String(inner[BIGINT]));
    if (MAP in inner) return new Map(inner[MAP] as [unknown, unknown][]);
    if (FLOATS in inner) return Float64Array.from(inner[FLOATS] as number[]);
    return inner;
  });
}
