import fc from "fast-check";
import { decimal } from "./hostile.ts";

/** Valid contexts of §4.4, which the fuzzer then corrupts. */

export const hexText = (bytes: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((found) => `0x${Buffer.from(found).toString("hex")}`);

const bit = fc.constantFrom(0, 1);
const token = fc.constantFrom("1", "2", "3", "9");
const quantity = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("1", "0.5", "0.01", "2.25", "0.0001", "100") },
  { weight: 1, arbitrary: decimal },
);
const price = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.integer({ min: 17_500, max: 18_500 }).map((tenths) => (tenths / 10).toFixed(1)),
  },
  { weight: 1, arbitrary: decimal },
);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

/** The accounts and orders that generated contexts may name. */
export interface Named {
  readonly owner: fc.Arbitrary<string>;
  readonly address: fc.Arbitrary<string>;
  readonly orderId: fc.Arbitrary<string>;
}

/** Contexts by command byte. */
export function contexts(named: Named): Readonly<Record<number, fc.Arbitrary<object>>> {
  const { owner, address, orderId } = named;
  const tpsl = fc.record({ tpLimit: price, slTrigger: price, slLimit: optional(price) });
  const order = {
    l1owner: owner,
    baseToken: fc.constantFrom("1", "1", "1", "3", "9"),
    quoteToken: fc.constantFrom("2", "2", "2", "1"),
    side: bit,
    price,
    quantity,
    orderType: bit,
    orderMode: fc.constantFrom(0, 0, 0, 1),
  };
  const move = { l1owner: owner, to: address, token, value: quantity };
  const made: Record<number, fc.Arbitrary<object>> = {
    0x01: fc.record({
      type: fc.constantFrom(1, 2, 3),
      publickey: address,
      expiresAt: fc.oneof(fc.constant(1_767_300_000), fc.nat()),
      nonce: fc.oneof(fc.constant(1_767_225_600_000), fc.nat()),
      l1owner: owner,
      l1signature: hexText(65),
    }),
    0x02: fc.record({ l1owner: owner, to: address, value: quantity }),
    0x11: fc.record(move),
    0x12: fc.record(move),
    0x21: fc
      .record({ ...order, tpsl: fc.option(tpsl, { nil: undefined, freq: 5 }) })
      .map((context) => (context.orderType === 1 ? { ...context, price: "0" } : context)),
    0x22: fc.record({ l1owner: owner, orderId }),
    0x23: fc.record({ l1owner: owner }),
    0x24: fc.record({
      l1owner: owner,
      orderId,
      newPrice: fc.oneof(optional(price), fc.constant(null)),
      newQty: fc.oneof(optional(quantity), fc.constant(null)),
    }),
    0x25: fc
      .record({ ...order, stopPrice: price })
      .map((context) => (context.orderType === 1 ? { ...context, price: "0" } : context)),
  };
  return made;
}

export const commandByteList = [0x01, 0x02, 0x11, 0x12, 0x21, 0x22, 0x23, 0x24, 0x25] as const;

/** Paths that take a command byte (§4.4, D10). */
export const pathsOfByte: Readonly<Record<number, readonly string[]>> = {
  0x01: [
    "/api/v1/wallet/session",
    "/api/v1/wallet/session/update",
    "/api/v1/wallet/session/delete",
  ],
  0x02: ["/api/v1/wallet/transfer"],
  0x11: ["/api/v1/wallet/transfer"],
  0x12: ["/api/v1/wallet/withdraw"],
  0x21: ["/api/v1/order"],
  0x22: ["/api/v1/order/cancel"],
  0x23: ["/api/v1/order/cancel/all"],
  0x24: ["/api/v1/order/modify"],
  0x25: ["/api/v1/order/trigger"],
};

export const postPaths = [
  ...new Set(Object.values(pathsOfByte).flat()),
  "/api/v1/wallet/withdraw/retry",
];
