import { expect } from "vitest";
import { expectRefused, expectTaken, orderOf, take } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const enumerations: readonly ConformanceCase[] = [
  {
    id: "C-2.1-08",
    line: "side in a transaction: 0 buys, 1 sells, nothing else",
    run: async (client) => {
      const { alice } = client;
      const buy = await take(client, alice.limit(0, "1700", "1"));
      const sell = await take(client, alice.limit(1, "1900", "1"));
      expect((await orderOf(client, buy))["side"]).toBe("BUY");
      expect((await orderOf(client, sell))["side"]).toBe("SELL");
      for (const side of [2, -1, "0", 0.5, null]) {
        expectRefused(await client.send(alice.order({ side })), 400);
      }
    },
  },
  {
    id: "C-2.1-09",
    line: "order type in a transaction: 0 limit, 1 market, nothing else",
    run: async (client) => {
      const { alice } = client;
      expectTaken(await client.send(alice.order({ orderType: 0 })));
      for (const orderType of [2, "1", null]) {
        expectRefused(await client.send(alice.order({ orderType })), 400);
      }
    },
  },
  {
    id: "C-2.1-10",
    line: "session command type: 1 create, 2 update, 3 delete, nothing else",
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 1000;
      for (const type of [1, 2, 3] as const) {
        expect((await client.send(alice.session(type, session, expiry))).status).toBe(200);
      }
      const wrong = alice.session(1, session, expiry, { context: { type: 4 } });
      expectRefused(await client.send(wrong), 400);
    },
  },
];
