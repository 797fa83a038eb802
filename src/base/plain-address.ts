import { isLoopback } from "./loopback.ts";

/** What is wrong with an address that is neither encrypted nor on this machine, as the end of a sentence; undefined for any other. */
export function plainAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, host } = new URL(address);
  if ((protocol !== "http:" && protocol !== "ws:") || isLoopback(hostname)) return undefined;
  const encrypted = protocol.replace(":", "s:");
  return `is not encrypted (${protocol}//), so anyone between here and ${host} can read and change it; use ${encrypted}//`;
}
