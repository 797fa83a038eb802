/** The value of a key, which is made when the map has none. */
export function getOrMake<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  make: () => NoInfer<Value>,
): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
