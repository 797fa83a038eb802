import { bookOf, eventOf, messageOf } from "./binance-message.ts";
import { brokenLine, jsonOfLine, type ImportFormat } from "./import-format.ts";
import { stampUs } from "./stamp.ts";

const received = /^(\d+(?:\.\d+)?): (\{.*)$/;
const responded = /^(https?:\/\/\S+) -> (\d+(?:\.\d+)?): (\{.*)$/;
/** What else stands in such files: which channels were asked for, and when a connection was made. */
const known = /^(configuration: |wss?:\/\/\S+ <-> )/;

/**
 * Text of cryptofeed's raw capture: stream messages with their time of receipt and, in the same file or in
 * one of its own, REST answers, whose market stands in their address.
 */
export const cryptofeed: ImportFormat = {
  name: "cryptofeed",
  summary:
    "cryptofeed's raw capture of Binance: stream messages and REST answers, any number of files.",

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
          throw brokenLine(place, "no line of the format cryptofeed");
        const event = eventOf(parsed, atUs, nameOf, place);
        if (event !== undefined) yield { event, line: number };
        continue;
      }
      const response = responded.exec(line);
      if (response === null) {
        if (line.trim() === "" || known.test(line)) continue;
        throw brokenLine(place, "no line of the format cryptofeed");
      }
      const [, url = "", stamp = "", text = ""] = response;
      const symbol = /[?&]symbol=([^&]+)/.exec(url)?.[1];
      const atUs = stampUs(stamp);
      // Other answers (lists of markets, of candles) say nothing about a book.
      if (symbol === undefined || atUs === undefined || !/\/depth\?/.test(url)) continue;
      const book = bookOf(jsonOfLine(text, place), atUs, nameOf(symbol));
      if (book === undefined) throw brokenLine(place, "no line of the format cryptofeed");
      yield { event: book, line: number };
    }
  },
};
