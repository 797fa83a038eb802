import { list, resultOf, take, type Json, type VenueClient } from "./client.ts";

/** Situations that cases set up at a venue before they check. */

export interface Trade {
  /** Alice's resting sell of 2 at 1800, half of it filled. */
  readonly sell: string;
  /** Bob's buy of 1 that took it. */
  readonly buy: string;
}

/** Bob buys 1 of token 1 from Alice at 1800; fees are 0.0002 and 0.0005. */
export async function trade(client: VenueClient): Promise<Trade> {
  const { alice, bob } = client;
  const sell = await take(client, alice.limit(1, "1800", "2"));
  const buy = await take(client, bob.limit(0, "1800", "1"));
  return { sell, buy };
}

/** Sets the last price and leaves the book unchanged. */
export async function print(client: VenueClient, price: string): Promise<void> {
  const { alice, bob } = client;
  await take(client, alice.limit(1, price, "1"));
  await take(client, bob.limit(0, price, "1"));
}

export async function openOrders(client: VenueClient, address: string): Promise<readonly Json[]> {
  return list(resultOf(await client.get(`/api/v1/order/open?address=${address}`)));
}

export async function endedOrders(client: VenueClient, address: string): Promise<readonly Json[]> {
  return list(resultOf(await client.get(`/api/v1/order?address=${address}`)));
}

export async function userTrades(client: VenueClient, address: string): Promise<readonly Json[]> {
  return list(resultOf(await client.get(`/api/v1/order/trade?address=${address}`)));
}

export async function sessions(client: VenueClient, owner: string): Promise<readonly Json[]> {
  return list(resultOf(await client.get(`/api/v1/wallet/session?address=${owner}`)));
}

export async function transfers(client: VenueClient, address: string): Promise<readonly Json[]> {
  return list(resultOf(await client.get(`/api/v1/wallet/transfer?address=${address}`)));
}

/** `price x quantity` of each level. */
export async function book(
  client: VenueClient,
): Promise<{ readonly bids: string[]; readonly asks: string[] }> {
  const depth = (await client.get("/api/v1/market/depth?marketId=1_2")).result as {
    readonly bids: readonly Json[];
    readonly asks: readonly Json[];
  };
  const text = (levels: readonly Json[]): string[] =>
    levels.map(({ price, quantity }) => `${String(price)} x ${String(quantity)}`);
  return { bids: text(depth.bids), asks: text(depth.asks) };
}

/** Alice's session wallet, applied for a day. */
export async function applied(client: VenueClient): Promise<void> {
  const { alice, session } = client;
  const signed = alice.session(1, session, client.nowSec() + 86_400);
  const reply = await client.send(signed);
  if (reply.status !== 200) throw new Error(`no session: ${reply.text}`);
}

/** Payloads of an address's user events so far. */
export async function watchUser(
  client: VenueClient,
  address: string,
): Promise<() => Promise<Json[]>> {
  const stream = await client.connect();
  const channel = `userEvent@${address}`;
  await stream.subscribe(channel);
  return () => stream.pushes(channel);
}

/** Alice's buy of 1 at 1800 with legs at 1900 and 1700; ids of the three. */
export async function withLegs(
  client: VenueClient,
  tpsl: Json = { tpLimit: "1900", slTrigger: "1700" },
): Promise<[main: string, takeProfit: string, stopLoss: string]> {
  const main = await take(client, client.alice.limit(0, "1800", "1", { tpsl }));
  return legIds(main);
}

/** Ids of an order and of its take profit and stop loss. */
export function legIds(main: string): [main: string, takeProfit: string, stopLoss: string] {
  return [main, legId(main, 1), legId(main, 2)];
}

/** The id with its last byte increased, without carry (§4.4). */
export function legId(id: string, add: number): string {
  const last = (Number.parseInt(id.slice(-2), 16) + add) % 256;
  return `${id.slice(0, -2)}${last.toString(16).padStart(2, "0")}`;
}
