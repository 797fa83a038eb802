import fc from "fast-check";
import { expect, it } from "vitest";
import { commands } from "../../src/spec/commands.ts";
import { decodeContext, usualOrder } from "../../src/spec/context.ts";
import { commandData } from "../../src/spec/transaction.ts";

const fields = fc.record({
  l1owner: fc.oneof(
    fc.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    fc.constantFrom("0x", "", `0x${"g".repeat(40)}`),
  ),
  baseToken: fc.constantFrom("1", "0", "007", "9".repeat(19), "9".repeat(20), "", "ETH"),
  quoteToken: fc.constantFrom("2", "", "٢"),
  side: fc.constantFrom<unknown>(0, 1, 0, 1, 2, -0, "0", null),
  price: fc.oneof(
    fc.stringMatching(/^\d{1,25}(\.\d{1,22})?$/),
    fc.constantFrom("1e3", "-1", ".5", "5.", " 1", "1\n", "١", "0x10"),
  ),
  quantity: fc.oneof(
    fc.stringMatching(/^\d{1,5}(\.\d{1,19})?$/),
    fc.constantFrom("0", "0.0", "00", "000.000", "1."),
  ),
  orderType: fc.constantFrom<unknown>(0, 1, 0, 1, true),
  orderMode: fc.constantFrom<unknown>(0, 1, 0, 1, 1.5),
});

/** What the codec makes of the same text, however it is spaced: one space more keeps the quick way out of it. */
function byCodec(text: string): unknown {
  const decoded = decodeContext(commandData(commands.order.byte, `${text} `));
  return decoded.ok ? decoded.value : decoded.error;
}

it("a plain order is read as the codec reads it, or left to the codec", () => {
  let usual = 0;
  const mutation = fc.tuple(fc.nat(400), fc.constantFrom("", "", "", " ", '"', "0", ",", "\\"));
  fc.assert(
    fc.property(fields, mutation, (context, [at, extra]) => {
      const plain = JSON.stringify(context);
      const text = plain.slice(0, at) + extra + plain.slice(at);
      const quick = usualOrder(text);
      if (quick !== undefined) {
        usual += 1;
        expect({ name: "order", context: quick }).toEqual(byCodec(text));
      }
      const decoded = decodeContext(commandData(commands.order.byte, text));
      expect(decoded.ok ? decoded.value : decoded.error).toEqual(byCodec(text));
    }),
    { numRuns: 4000 },
  );
  expect(usual).toBeGreaterThan(0);
});

it("an order as clients write it takes the quick way", () => {
  const text =
    `{"l1owner":"0x${"aB".repeat(20)}","baseToken":"1","quoteToken":"2","side":1,"price":"1834.5",` +
    `"quantity":"0.25","orderType":0,"orderMode":0}`;
  expect(usualOrder(text)).toEqual(JSON.parse(text));
  expect(usualOrder(text.replace("0.25", "0.00"))).toBeUndefined();
  expect(usualOrder(`${text}\n`)).toBeUndefined();
});
