import { bookOf, eventOf, messageOf } from "./binance-message.ts";
import { brokenLine, jsonOfLine, type ImportFormat } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

const received = /^(\d+(?:\.\d+)?): (\{.*)$/;
const responded = /^(https?:\/\/\S+) -> (\d+(?:\.\d+)?): (\{.*)$/;
/** Other lines of such files: the configuration, and when a connection was opened. */
const known = /^(configuration: |wss?:\/\/\S+ <-> )/;

/**
 * cryptofeed's raw capture: stream messages with their time of receipt, and REST responses in the same or another file. The market
 * of a response is taken from its URL.
 */
export const cryptofeed: ImportFormat = {
  name: "cryptofeed",
  summary:
    "cryptofeed's raw capture of Binance: stream messages and REST responses, any number of files.",
  recognizes: (_, first) => received.test(first) || responded.test(first) || known.test(first),

  *read(file, nameOf) {
    let number = 0;
    const place = () => `${file.name}, line ${number}`;
    for (const line of file.lines()) {
      number += 1;
      const message = received.exec(line);
      if (message !== null) {
        const [, stamp = "", text = ""] = message;
        const parsed = messageOf(jsonOfLine(text, place));
        const atUs = stampUs(stamp);
        if (parsed === undefined || atUs === undefined)
          throw brokenLine(place, "not a line of the format cryptofeed");
        const event = eventOf(parsed, atUs, nameOf, place);
        if (event !== undefined) yield { event, line: number };
        continue;
      }
      const response = responded.exec(line);
      if (response === null) {
        if (line.trim() === "" || known.test(line)) continue;
        throw brokenLine(place, "not a line of the format cryptofeed");
      }
      const [, url = "", stamp = "", text = ""] = response;
      const symbol = /[?&]symbol=([^&]+)/.exec(url)?.[1];
      const atUs = stampUs(stamp);
      // Other responses (lists of markets, candles) contain no book.
      if (symbol === undefined || atUs === undefined || !/\/depth\?/.test(url)) continue;
      const book = bookOf(jsonOfLine(text, place), atUs, nameOf(symbol));
      if (book === undefined) throw brokenLine(place, "not a line of the format cryptofeed");
      yield { event: book, line: number };
    }
  },
};
