import { type Document, isAlias, isMap, isScalar, isSeq, Pair, YAMLMap } from "yaml";

/**
 * Puts what the map `defaults` of a document says under each entry of its list `strategies`: maps are merged key by key, everything else
 * is the entry's own where it has it. An entry with another plugin gets no `params`. Nodes stay where they were written, so that a mistake
 * in a default is reported there. `moved` is called with each map that takes the place of another.
 */
export function mergeDefaults(
  document: Document,
  moved: (from: unknown, to: YAMLMap) => void,
): void {
  const resolved = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const root = document.contents;
  if (!isMap(root)) return;
  const defaults = resolved(root.get("defaults", true));
  const list = resolved(root.get("strategies", true));
  if (!isMap(defaults) || !isSeq(list)) return;

  const merged = (own: unknown, under: unknown, leftOut?: string): unknown => {
    const [map, other] = [resolved(own), resolved(under)];
    if (!isMap(map) || !isMap(other)) return own;
    const made = new YAMLMap(document.schema);
    made.range = map.range ?? null;
    made.flow = map.flow === true;
    moved(own, made);
    const written: unknown = map.toJS(document);
    const has = (name: string) =>
      typeof written === "object" && written !== null && Object.hasOwn(written, name);
    const nameOf = (key: unknown) => String(isScalar(key) ? key.value : key);
    for (const { key, value } of map.items) {
      const isAlone = nameOf(key) === leftOut;
      made.items.push(new Pair(key, isAlone ? value : merged(value, other.get(key, true))));
    }
    for (const { key, value } of other.items) {
      const name = nameOf(key);
      if (name !== leftOut && !has(name)) made.items.push(new Pair(key, value));
    }
    return made;
  };
  for (const [at, entry] of list.items.entries()) {
    const map = resolved(entry);
    const usual = defaults.get("plugin");
    const plugin = (isMap(map) ? map.get("plugin") : undefined) ?? usual;
    const isOther = usual !== undefined && plugin !== usual;
    list.items[at] = merged(entry, defaults, isOther ? "params" : undefined);
  }
}
