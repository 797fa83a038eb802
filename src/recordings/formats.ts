import { binanceCsv } from "./formats/binance-csv.ts";
import { binanceRaw } from "./formats/binance-raw.ts";
import { coinbaseDump } from "./formats/coinbase-dump.ts";
import { cryptofeed } from "./formats/cryptofeed.ts";
import { binanceVision } from "./formats/binance-vision.ts";
import { candlesCsv } from "./formats/candles-csv.ts";
import type { ImportFormat } from "./formats/import-format.ts";
import { lean } from "./formats/lean.ts";
import { tardis } from "./formats/tardis.ts";

/** Every format that `touchline import` knows. */
export const importFormats: readonly ImportFormat[] = [
  binanceRaw,
  cryptofeed,
  coinbaseDump,
  binanceCsv,
  binanceVision,
  tardis,
  lean,
  candlesCsv,
];
