import { fromHex } from "../../src/base/hex.ts";
import { Pool } from "undici";
import { OwnWebSocket } from "./own-websocket.ts";
import { unixMs } from "../../src/domain/time.ts";
import { PlainBot } from "../frame-to-order/plain-bot.ts";
import type { RecordedBook } from "../../src/recordings/recorded-event.ts";
import { benchMarket } from "../recorded-frames.ts";
import { type LifeTerms, REST_MS } from "./life-terms.ts";

/** The plain build as a process of its own: `plain-process.ts REST WS TERMS`, with its key in LIFE_KEY. */
const [rest = "", ws = "", written = "{}"] = process.argv.slice(2);
const terms = JSON.parse(written) as LifeTerms;
const privateKey = fromHex(process.env["LIFE_KEY"] ?? "");
if (privateKey === undefined) throw new Error("which key?");

interface WireBook {
  readonly result: {
    readonly bids: readonly { readonly price: string; readonly quantity: string }[];
    readonly asks: readonly { readonly price: string; readonly quantity: string }[];
    readonly lastUpdatedId: number;
  };
}

const pool = new Pool(rest, { connections: 8 });
const early: Buffer[] = [];
let bot: PlainBot | undefined;

const socket = new OwnWebSocket(ws, { perMessageDeflate: false });
socket.on("open", () => {
  const params = { channels: [`depth@${benchMarket}`] };
  socket.send(JSON.stringify({ method: "subscribe", params, id: 1 }));
  setTimeout(() => void begin(), 500);
});
socket.on("message", (data) => {
  if (!(data instanceof Buffer)) return;
  if (bot === undefined) early.push(data);
  else void take(bot, data);
});

async function begin(): Promise<void> {
  const { body } = await pool.request({
    method: "GET",
    path: `/api/v1/market/depth?marketId=${benchMarket}&limit=1000`,
  });
  const { result } = (await body.json()) as WireBook;
  const texts = (levels: WireBook["result"]["bids"]): [string, string][] =>
    levels.map(({ price, quantity }) => [price, quantity]);
  const book: RecordedBook = {
    type: "book",
    atUs: 0,
    marketId: benchMarket,
    timeMs: unixMs(0),
    lastId: result.lastUpdatedId,
    bids: texts(result.bids),
    asks: texts(result.asks),
  };
  bot = new PlainBot({ book, terms: { ...terms, privateKey: key() }, restMs: REST_MS });
  bot.begin();
  // A frame is applied before the first wait for its order.
  for (const frame of early) void take(bot, frame);
}

function key(): Uint8Array {
  if (privateKey === undefined) throw new Error("which key?");
  return privateKey;
}

function take(plain: PlainBot, frame: Buffer): Promise<void> {
  return plain.onFrame(frame, Date.now(), (signed, orderId, isModify) => {
    void post(plain, signed, orderId, isModify);
  });
}

async function post(
  plain: PlainBot,
  tx: string,
  orderId: string,
  isModify: boolean,
): Promise<void> {
  const { body } = await pool.request({
    method: "POST",
    path: isModify ? "/api/v1/order/modify" : "/api/v1/order",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tx }),
  });
  const { code } = (await body.json()) as { readonly code: number };
  if (code !== 200) plain.forget(orderId);
}
