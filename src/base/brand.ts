/** Branded primitives: plain values at run time that the compiler keeps apart. */

declare const brand: unique symbol;

/** `Base` with a compile-time name, e.g. `Brand<number, "UnixMs">`. */
export type Brand<Base, Name extends string> = Base & {
  readonly [brand]: Name;
};
