/** One plain example of each resource, with every field of the interface's tables. */

const address = "0xD02db1F0F79098822d9F84097B4376A4d7879E8f";
const hash = `0x${"ab".repeat(32)}`;

export const openOrder = {
  id: 17,
  orderId: hash,
  accountAddress: address,
  marketId: "1_2",
  side: "BUY",
  orderType: "LIMIT",
  orderMode: 0,
  price: "1834.5",
  origQty: "0.25",
  origQuoteOrderQty: "0",
  isTrigger: false,
  isTriggered: false,
  triggerPrice: "0",
  status: "PARTIALLY_FILLED",
  contingencyType: "NONE",
  otoLegType: "NONE",
  txHash: hash,
  createdAt: 1_767_225_600_000,
  updatedAt: 1_767_225_600_500,
  executedQty: "0.1",
  executedQuoteQty: "183.45",
};

/** The fields of §2.5 that need not be in the completed list and by id. */
export const optionalOrderFields = [
  "id",
  "orderMode",
  "isTrigger",
  "isTriggered",
  "triggerPrice",
  "contingencyType",
  "otoLegType",
];

export const userTrade = {
  id: 3,
  tradeId: "t-3",
  orderId: hash,
  accountAddress: address,
  marketId: "1_2",
  side: "SELL",
  orderType: "LIMIT",
  origPrice: "1834.5",
  origQty: "0.25",
  price: "1835",
  quantity: "0.1",
  fee: "0.0367",
  feeTokenId: "2",
  isMaker: true,
  createdAt: 1_767_225_600_000,
};

export const market = {
  marketId: "1_2",
  description: "ETH/USDT",
  baseTokenId: "1",
  quoteTokenId: "2",
  exchange: "paper",
  ticker: "ETH/USDT",
  type: "spot",
  minmov: 1,
  pricescale: 100,
  session: "24x7",
  hasIntraday: true,
  hasEmptyBars: false,
  takerFee: "0.0005",
  makerFee: "0.0002",
  listed: true,
  logoUrls: "",
  isDefaultMakerFee: true,
  isDefaultTakerFee: true,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};

export const ticker = {
  marketId: "1_2",
  baseTokenId: "1",
  quoteTokenId: "2",
  price: "1834.5",
  open24h: "1800",
  high24h: "1850",
  low24h: "1790",
  volume24h: "12.5",
  quoteVolume24h: "22900",
};

export const token = {
  tokenId: "1",
  l1Address: "0x0000000000000000000000000000000000000000",
  l1Symbol: "ETH",
  l1Name: "Ether",
  l1Decimal: 18,
  l2Symbol: "ETH",
  l2Name: "Ether",
  image: "",
};

export const publicTrade = {
  tradeId: "9",
  marketId: "1_2",
  price: "1834.5",
  quantity: "0.25",
  buyOrderId: hash,
  sellOrderId: hash,
  createdAt: 1_767_225_600_000,
  isBuyerMaker: true,
};

export const candle = {
  marketId: "1_2",
  resolution: "1",
  timestamp: 1_767_225_600,
  open: 1834.5,
  high: 1835,
  low: 1834,
  close: 1834.1,
  volume: 2.5,
  quoteVolume: 4586.25,
  tradeCount: 7,
};

export const level = { price: "1834.5", quantity: "0.25" };
export const orderBook = {
  bids: [level],
  asks: [{ price: "1835", quantity: "1" }],
  updatedAt: 1_767_225_600_000,
  lastUpdatedId: 77,
};

export const balances = {
  balances: [{ tokenId: "1", locked: "0.25", unlocked: "99.75" }],
  blockNumber: 12,
};

export const sessionWallet = {
  name: "bot",
  expiry: 1_767_312_000,
  createdAt: 1_767_225_600,
  ownerAddress: address,
  sessionAddress: "0xc2aaf1c64abA49706Ae25B4B796B1351f8FfC636",
  applied: true,
};

export const transferRecord = {
  id: 5,
  fromAddress: address,
  toAddress: "0x372168b59f875228146A71a1d97494c21775A65a",
  txType: "TOKEN_TRANSFER",
  tokenId: "2",
  amount: "12.5",
  status: "CONFIRMED",
  timestamp: 1_767_225_600_000,
  hash,
};

/** A sample answer of every endpoint. */
export const results: Readonly<Record<string, unknown>> = {
  time: { serverTime: 1_767_225_600_000 },
  market: [market],
  ticker: [ticker],
  tokens: [token],
  trades: [publicTrade],
  depth: orderBook,
  candles: [candle],
  balance: balances,
  "order-open": [openOrder],
  "order-history": [openOrder],
  "order-show": openOrder,
  "order-trade": [userTrade],
  order: hash,
  "order-cancel": hash,
  "order-cancel-all": hash,
  "order-modify": hash,
  "order-trigger": hash,
  withdraw: hash,
  "withdraw-retry": "0x0",
  "session-list": [sessionWallet],
  "session-create": undefined,
  "session-update": undefined,
  "session-delete": undefined,
  transfer: hash,
  transfers: [transferRecord],
};

const eventHead = {
  eventTime: 1_767_225_600_000,
  blockNumber: 12,
  accountAddress: address,
  txHash: hash,
};

const orderEvent = {
  topic: "ORDER",
  ...eventHead,
  orderId: hash,
  marketId: "1_2",
  side: "BUY",
  orderType: "LIMIT",
  orderMode: 0,
  origPrice: "1834.5",
  origQty: "0.25",
  origQuoteOrderQty: "0",
  createdAt: 1_767_225_600_000,
  executedQty: "0",
  executedQuoteQty: "0",
  lastPrice: "0",
  lastQty: "0",
  fee: "0",
  feeTokenId: null,
  tradeId: "",
  isMaker: false,
};

const movement = { topic: "ACCOUNT", ...eventHead, tokenId: "1", amount: "10" };

/** One of each of the eight types of §6.4. */
export const userEvents: readonly Readonly<Record<string, unknown>>[] = [
  { ...orderEvent, eventType: "NEW", status: "NEW" },
  {
    ...orderEvent,
    eventType: "TRADE",
    status: "FILLED",
    executedQty: "0.25",
    executedQuoteQty: "458.625",
    lastPrice: "1834.5",
    lastQty: "0.25",
    fee: "0.00005",
    feeTokenId: "1",
    tradeId: "9",
    isMaker: true,
  },
  { ...orderEvent, eventType: "CANCEL", status: "CANCELED" },
  { ...orderEvent, eventType: "TRIGGER", status: "NEW", orderType: "STOP_LOSS_LIMIT" },
  { ...orderEvent, eventType: "REJECTED", status: "REJECTED" },
  { ...movement, eventType: "DEPOSIT" },
  { ...movement, eventType: "WITHDRAW" },
  { ...movement, eventType: "TRANSFER", fromAddress: address, toAddress: address },
];

/** A sample payload of every channel. */
export const payloads: Readonly<Record<string, unknown>> = {
  trade: publicTrade,
  depth: {
    marketId: "1_2",
    bids: [["1834.5", "0"]],
    asks: [["1835", "1.5"]],
    firstId: 78,
    finalId: 80,
    time: 1_767_225_600_000,
  },
  depthSnapshot: {
    marketId: "1_2",
    lastUpdateId: 80,
    bids: [["1834.5", "0.25"]],
    asks: [],
    time: 1_767_225_600_000,
  },
  ticker: [ticker],
  userEvent: userEvents[0],
};
