import { useEffect, useState } from "preact/hooks";
import type { Shown, ShownRow } from "./live.ts";

/** Where the reader is: the part of the address behind `#`. */
export type Place =
  | { readonly page: "overview" | "past" | "login" }
  | { readonly page: "market"; readonly name: string };

export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  if (hash === "#past") return { page: "past" };
  if (hash === "#login") return { page: "login" };
  const name = /^#market=(.+)$/.exec(hash)?.[1];
  return name === undefined
    ? { page: "overview" }
    : { page: "market", name: decodeURIComponent(name) };
}

/** Of a row by its key, which in an overview of several bots leads to the bot's own page. */
export function linkOf({ rows }: Shown, key: string): string {
  const row = rows[key];
  return row === undefined ? linkTo(key) : linkOfRow(row);
}

export function linkOfRow({ bot, name }: ShownRow): string {
  return bot === undefined ? linkTo(name) : `${bot.url}/${linkTo(name)}`;
}

function linkTo(name: string): string {
  return `#market=${encodeURIComponent(name)}`;
}
