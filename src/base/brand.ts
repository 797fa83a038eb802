/** Branded primitives: the same value at run time, but the compiler keeps two brands apart. */

declare const brand: unique symbol;

/** `Base` with a compile-time name, e.g. `Brand<number, "UnixMs">`. */
export type Brand<Base, Name extends string> = Base & {
  readonly [brand]: Name;
};
