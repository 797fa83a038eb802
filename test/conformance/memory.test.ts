import { memoryTransport } from "./memory-transport.ts";
import { runCases } from "./run-cases.ts";

runCases(memoryTransport);
