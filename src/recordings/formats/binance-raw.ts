import { bookOf, eventOf, messageOf, symbolOf } from "./binance-message.ts";
import { brokenLine, jsonOfLine, type ImportFormat, type SourceFile } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

/**
 * Lines `<receive stamp> <json>`, one market in each file, as hftbacktest's collector writes them: stream messages and
 * occasionally a REST book.
 */
export const binanceRaw: ImportFormat = {
  name: "binance-raw",
  summary: "Lines of receive stamp and Binance message, spot or futures, one market per file.",
  recognizes: (_, first) => /^\d{10,19} \{/.test(first),

  *read(file, nameOf) {
    let number = 0;
    const place = () => `${file.name}, line ${number}`;
    let symbol: string | undefined;
    for (const line of file.lines()) {
      number += 1;
      if (line.trim() === "") continue;
      const cut = line.indexOf(" ");
      const atUs = stampUs(line.slice(0, Math.max(0, cut)));
      if (atUs === undefined) throw brokenLine(place, "not a line of the format binance-raw");
      const parsed = jsonOfLine(line.slice(cut + 1), place);
      const message = messageOf(parsed);
      if (message !== undefined) {
        const event = eventOf(message, atUs, nameOf, place);
        if (event !== undefined) yield { event, line: number };
        continue;
      }
      // A REST book does not name its market, so the file's streams do.
      symbol ??= firstSymbol(file);
      const book = symbol === undefined ? undefined : bookOf(parsed, atUs, nameOf(symbol));
      if (book === undefined) throw brokenLine(place, "not a line of the format binance-raw");
      yield { event: book, line: number };
    }
  },
};

function firstSymbol(file: SourceFile): string | undefined {
  for (const line of file.lines()) {
    const stream = /"stream"\s*:\s*"([^"@]+@[^"]*)"/.exec(line)?.[1];
    if (stream !== undefined) return symbolOf(stream);
  }
  return undefined;
}
