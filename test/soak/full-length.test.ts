// Tests that npm test has in a shorter form.
import "../conformance/sockets.test.ts";
import "../exchange/recorded-liquidity.prop.test.ts";
import "../exchange/true-queue.prop.test.ts";
import "../exchange/unknown-prices.prop.test.ts";
import "../process/takes.test.ts";
import "../runtime/doubted-fills.test.ts";
import "../runtime/ordinary-trouble.test.ts";
import "../venue/agreement.prop.test.ts";
