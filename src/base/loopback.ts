/** Whether a host's name or address is this machine itself; brackets around an IPv6 address may be there or not. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return (
    name === "localhost" ||
    name === "::1" ||
    // The WHATWG URL writes ::ffff:127.0.0.1 as ::ffff:7f00:1.
    /^::ffff:(?:127(?:\.\d{1,3}){3}|7f[0-9a-f]{2}:[0-9a-f]{1,4})$/.test(name) ||
    /^127(?:\.\d{1,3}){3}$/.test(name)
  );
}
