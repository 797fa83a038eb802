import { type Document, isAlias, isMap, isScalar, isSeq, type YAMLMap } from "yaml";
import type { ConfigPath } from "./problem.ts";

/** The part of a path that exists in a document. */
export interface NodeAtPath {
  /** True when the whole path exists. */
  readonly isComplete: boolean;
  /** Key of the deepest existing part; undefined for list entries and the root. */
  readonly key: unknown;
  readonly value: unknown;
  /** Every node on the path, from the root. */
  readonly trail: readonly unknown[];
}

/** Follows a path through maps, lists, aliases and merge keys as far as it exists. */
export function nodeAt(document: Document, path: ConfigPath): NodeAtPath {
  let value: unknown = document.contents;
  let key: unknown;
  const trail: unknown[] = [value];
  for (const part of path) {
    const pair = child(document, resolve(document, value), part);
    if (pair === undefined) return { isComplete: false, key, value, trail };
    value = pair.value;
    // Entries of a list have no key; a missing part is reported at the start of the entry.
    key = pair.key;
    trail.push(key, value);
  }
  return { isComplete: true, key, value, trail };
}

function resolve(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function child(
  document: Document,
  node: unknown,
  part: string | number,
): { readonly key: unknown; readonly value: unknown } | undefined {
  if (isSeq(node)) {
    const item: unknown = typeof part === "number" ? node.items[part] : undefined;
    return item === undefined ? undefined : { key: undefined, value: item };
  }
  return isMap(node) ? entry(document, node, String(part)) : undefined;
}

function entry(
  document: Document,
  map: YAMLMap,
  name: string,
): { readonly key: unknown; readonly value: unknown } | undefined {
  for (const pair of map.items) {
    if (nameOf(pair.key) === name) return { key: pair.key, value: pair.value };
  }
  for (const pair of map.items) {
    if (!isScalar(pair.key) || pair.key.source !== "<<") continue;
    const merged = resolve(document, pair.value);
    const sources: readonly unknown[] = isSeq(merged) ? merged.items : [merged];
    for (const source of sources) {
      const found = child(document, resolve(document, source), name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
