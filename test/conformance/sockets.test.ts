import { runCases } from "./run-cases.ts";
import { socketTransport } from "./socket-transport.ts";
import { isSoak } from "../support/soak.ts";

runCases(socketTransport, isSoak ? 1 : 4);
