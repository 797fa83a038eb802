import { afterEach, expect, test } from "vitest";
import { connectVenue, limitOrder, openSigner } from "../../src/sdk/index.ts";
import { startPaperVenue } from "../../src/sdk/paper-venue.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { Touchline } from "../support/touchline-process.ts";

/** A command that is interrupted after it was sent says what is in doubt, and how to find out. */

const env = { TOUCHLINE_KEY: `0x${"c1".repeat(32)}` };
const signer = await openSigner(env.TOUCHLINE_KEY);
const faucet = { "1": "10", "2": "25000" };

const opened: RunningVenue[] = [];
const started: Touchline[] = [];
afterEach(async () => {
  for (const process of started.splice(0)) process.kill("SIGKILL");
  for (const venue of opened.splice(0)) await venue.close();
});

function start(...args: readonly string[]): Touchline {
  const process = new Touchline(args, env);
  started.push(process);
  return process;
}

test("an interrupted command whose order was accepted but not acknowledged says how to find it", async () => {
  const match = "POST /api/v1/order";
  const paper = await startPaperVenue({
    config: { faucet, faults: [{ kind: "timeout-after", match, cut: "20s" }] },
  });
  opened.push(paper);
  const venue = await connectVenue({ rest: paper.rest, chainId: 1001 });
  const place = start("order", "place", "1_2", "buy", "0.5", "50", "--venue", paper.rest);
  const open = () => venue.orderOpen({ address: signer.address });
  await expect.poll(async () => (await open()).length).toBe(1);
  place.kill("SIGINT");
  expect(await place.exit).toBe(130);
  const [order] = await open();
  expect(place.lines).toMatchObject([
    {
      event: "error",
      code: "INTERRUPTED",
      hint: `Check the result: touchline order show ${order?.orderId}`,
    },
  ]);
  expect(place.stderr).toContain("the venue may have accepted it");
  await venue.close();
});

test("an interrupted watch exits with 130 and leaves the order open", async () => {
  const paper = await startPaperVenue({ config: { faucet } });
  opened.push(paper);
  const venue = await connectVenue({ rest: paper.rest, chainId: 1001 });
  const wallet = venue.wallet({ signer });
  const { txHash } = await wallet.order(
    limitOrder({ marketId: "1_2", side: "BUY", price: "50", quantity: "0.5" }),
  );
  const watched = start("order", "watch", txHash, "--venue", paper.rest);
  await watched.line("order.watch");
  watched.kill("SIGTERM");
  expect(await watched.exit).toBe(130);
  expect((await venue.orderShow({ orderId: txHash })).status).toBe("NEW");
  await venue.close();
});
