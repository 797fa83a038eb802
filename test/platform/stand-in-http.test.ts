import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import type { HttpRequest } from "../../src/ports/http.ts";
import { createStandInHttp } from "../../src/platform/stand-in-http.ts";

const http = createStandInHttp();
afterAll(() => http.close());

const post: HttpRequest = {
  method: "POST",
  url: "http://127.0.0.1:1/api/order",
  headers: { "content-type": "application/json" },
  body: '{"tx":"0x00"}',
  timeoutMs: 60_000,
};

it("responds to each request when it is asked to, without a socket", async () => {
  let sockets = 0;
  const opened = (): void => {
    sockets += 1;
  };
  subscribe("net.client.socket", opened);
  try {
    for (let round = 0; round < 20; round += 1) {
      let responses = 0;
      const requests = [0, 1, 2].map(async () => {
        const { status, body } = await http.request(post);
        responses += 1;
        expect(status).toBe(200);
        expect(JSON.parse(new TextDecoder().decode(body))).toMatchObject({ code: 200 });
      });
      // A connection that was used before is written to one turn later.
      await turn();
      await turn();
      expect(responses).toBe(0);
      http.respond();
      await Promise.all(requests);
    }
  } finally {
    unsubscribe("net.client.socket", opened);
  }
  expect(sockets).toBe(0);
});

it("fails what is under way when it is closed", async () => {
  const closing = createStandInHttp();
  const request = closing.request(post);
  await closing.close();
  await expect(request).rejects.toMatchObject({ code: "HTTP_FAILED" });
});
