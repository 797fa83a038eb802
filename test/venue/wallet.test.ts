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

describe("withdrawals (§4.1, D9, D33)", () => {
  test("leave no timer when the venue closes", async () => {
    const { alice, post, venue, clock } = await testVenue();
    await post(path("withdraw"), withdrawal(alice, "1"));
    await venue.close();
    clock.advance(10_000);
    expect(venue.exchange.blockNumber).toBe(1);
  });
});
