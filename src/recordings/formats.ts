import { binanceRaw } from "./formats/binance-raw.ts";
import { cryptofeed } from "./formats/cryptofeed.ts";
import type { ImportFormat } from "./formats/import-format.ts";

/** Every format that `touchline import` knows. */
export const importFormats: readonly ImportFormat[] = [binanceRaw, cryptofeed];
