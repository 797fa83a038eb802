import type { Decision } from "../../src/strategy/contract.ts";

/** A value as plain JavaScript may return it from `decide`, whatever its shape. */
export function plainly(returned: unknown): Decision {
  const untyped: { value?: Decision } = {};
  Reflect.set(untyped, "value", returned);
  return untyped.value as Decision;
}
