import { runCases } from "./run-cases.ts";
import { socketTransport } from "./socket-transport.ts";

runCases(socketTransport);
