/** Node's own module. As an import it would load Node's `fetch` and `WebSocket` with it, which nothing here uses and every start would wait for. */
export const http = process.getBuiltinModule("node:http");
