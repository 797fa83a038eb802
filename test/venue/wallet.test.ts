import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { tokenId, type Address } from "../../src/domain/ids.ts";
import { type TestTrader, testVenue } from "../support/venue.ts";

const path = (name: string) => `/api/v1/wallet/${name}`;

function withdrawal(from: TestTrader, amount: string) {
  const nonce = from.nextNonce();
  const to = "0x00000000000000000000000000000000000000aa" as Address;
  return from.sign({ type: "withdraw", nonce, to, tokenId: tokenId("2"), value: fixed(amount) });
}

describe("transfers (§4.1, D8, D10, D12, D34)", () => {
  test("of the native token move the configured token; an unknown one is 404", async () => {
    const native = async (document: object) => {
      const { alice, bob, post } = await testVenue(document);
      const nonce = alice.nextNonce();
      const tx = alice.sign({ type: "transfer", nonce, to: bob.address, value: fixed("1000") });
      return (await post(path("transfer"), tx)).status;
    };
    // Alice has 100 of token 1 and 250000 of token 2.
    expect(await native({})).toBe(400);
    expect(await native({ nativeToken: "2" })).toBe(200);
    const others = {
      tokens: [
        { tokenId: "7", symbol: "A" },
        { tokenId: "8", symbol: "B" },
      ],
      markets: [{ base: "7", quote: "8" }],
      accounts: {},
    };
    expect(await native(others)).toBe(404);
  });
});

describe("withdrawals (§4.1, D9, D33)", () => {
  test("use the configured command byte (D9)", async () => {
    const { alice, post } = await testVenue({ withdrawals: { byte: 0x13 } });
    const response = await post(path("withdraw"), withdrawal(alice, "1"));
    expect(response.body).toMatchObject({ code: 400, errMsg: expect.stringContaining("0x12") });
  });

  test("leave no timer when the venue closes", async () => {
    const { alice, post, venue, clock } = await testVenue();
    await post(path("withdraw"), withdrawal(alice, "1"));
    await venue.close();
    clock.advance(10_000);
    expect(venue.exchange.blockNumber).toBe(1);
  });
});
