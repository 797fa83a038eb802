import { assert } from "../base/assert.ts";

type Method<Args extends readonly unknown[]> = (...args: Args) => unknown;

/**
 * Makes an object with one method for each name of a table. The compiler cannot follow a table's types through a loop, so the caller
 * declares the methods' types as `Methods`. Only the presence of each method is checked.
 */
export function methodsOf<
  Methods extends object,
  Name extends string,
  Args extends readonly unknown[],
>(
  names: readonly Name[],
  methodName: (name: Name) => string,
  make: (name: Name) => Method<Args>,
): Methods {
  const methods: object = Object.fromEntries(names.map((name) => [methodName(name), make(name)]));
  assertMethods<Methods>(methods, names.map(methodName));
  return methods;
}

function assertMethods<Methods extends object>(
  methods: object,
  names: readonly string[],
): asserts methods is Methods {
  for (const name of names) assert(typeof Reflect.get(methods, name) === "function", name);
}

/** The names of a table, typed. */
export function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  const names: Name[] = [];
  for (const name in table) names.push(name);
  return names;
}
