import { useEffect, useState } from "preact/hooks";

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
