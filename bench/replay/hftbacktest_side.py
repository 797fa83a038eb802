"""hftbacktest on set 01, driven line by line on stdin: `book N` or `grid N` runs N steps of 100 ms.

Prints `ready LEVEL_CHANGES BEST_BID BEST_ASK VERSION` once, then `done SECONDS` for each line, the processor time used so far. The set is repeated without end.
The event format and the grid follow the library's own examples.
"""

import glob
import gzip
import json
import sys
import time
from importlib.metadata import version

import numpy as np
from hftbacktest import GTX, LIMIT, BacktestAsset, ROIVectorMarketDepthBacktest
from hftbacktest.data import correct_event_order, correct_local_timestamp
from hftbacktest.types import BUY_EVENT, DEPTH_EVENT, DEPTH_SNAPSHOT_EVENT, SELL_EVENT, TRADE_EVENT, event_dtype
from numba import float64, njit, uint64
from numba.typed import Dict

COPIES = 10
STEP_NS = 100_000_000


def events_of(folder):
    rows, waiting, last_id, changes = [], [], None, 0

    def add(kind, exchange_ns, local_ns, price, quantity):
        rows.append((kind, exchange_ns, local_ns, float(price), float(quantity), 0, 0, 0.0))

    def depth(data, local_ns):
        for side, levels in ((BUY_EVENT, data["b"]), (SELL_EVENT, data["a"])):
            for price, quantity in levels:
                add(DEPTH_EVENT | side, data["E"] * 1_000_000, local_ns, price, quantity)
        return len(data["b"]) + len(data["a"])

    for path in sorted(glob.glob(folder + "/*.gz")):
        for line in gzip.open(path, "rt"):
            stamp, text = line.split(" ", 1)
            # The recorder's clock was behind the exchange's.
            local_ns = int(stamp) + 1_300_000_000
            message = json.loads(text)
            data = message.get("data", message)
            if "lastUpdateId" in data:
                last_id = data["lastUpdateId"]
                for side, levels in ((BUY_EVENT, data["bids"]), (SELL_EVENT, data["asks"])):
                    for price, quantity in levels:
                        add(DEPTH_SNAPSHOT_EVENT | side, local_ns - 1_000_000, local_ns, price, quantity)
                for held in waiting:
                    if held["u"] > last_id:
                        changes += depth(held, local_ns)
            elif data.get("e") == "depthUpdate":
                if last_id is None:
                    waiting.append(data)
                elif data["u"] > last_id:
                    changes += depth(data, local_ns)
            elif data.get("e") == "trade" and last_id is not None:
                side = SELL_EVENT if data["m"] else BUY_EVENT
                add(TRADE_EVENT | side, data["T"] * 1_000_000, local_ns, data["p"], data["q"])
    events = correct_local_timestamp(np.array(rows, event_dtype), 0)
    by_exchange = np.argsort(events["exch_ts"], kind="mergesort")
    by_local = np.argsort(events["local_ts"], kind="mergesort")
    return correct_event_order(events, by_exchange, by_local), changes


def repeated(events):
    span = events["local_ts"].max() - events["exch_ts"].min() + 1_000_000_000
    copies = []
    for copy in range(COPIES):
        later = events.copy()
        later["exch_ts"] += span * copy
        later["local_ts"] += span * copy
        copies.append(later)
    return np.concatenate(copies)


def backtest(events):
    asset = (
        BacktestAsset()
        .data([events])
        .linear_asset(1.0)
        .constant_order_latency(1_000_000, 1_000_000)
        .risk_adverse_queue_model()
        .no_partial_fill_exchange()
        .trading_value_fee_model(0.0002, 0.0005)
        .tick_size(0.01)
        .lot_size(0.00001)
        .roi_lb(50000.0)
        .roi_ub(70000.0)
        .last_trades_capacity(0)
    )
    return ROIVectorMarketDepthBacktest([asset])


@njit
def book(hbt, steps):
    done, touched = 0, 0.0
    while done < steps and hbt.elapse(STEP_NS) == 0:
        depth = hbt.depth(0)
        touched += depth.best_bid + depth.best_ask
        done += 1
    return done


@njit
def grid(hbt, steps):
    done = 0
    tick = hbt.depth(0).tick_size
    while done < steps and hbt.elapse(STEP_NS) == 0:
        done += 1
        hbt.clear_inactive_orders(0)
        depth = hbt.depth(0)
        if not (depth.best_bid > 0 and depth.best_ask > 0):
            continue
        mid = (depth.best_bid + depth.best_ask) / 2
        bid, ask = np.floor((mid - 5.0) / 2.0) * 2.0, np.ceil((mid + 5.0) / 2.0) * 2.0
        bids, asks = Dict.empty(uint64, float64), Dict.empty(uint64, float64)
        for _ in range(5):
            bids[uint64(round(bid / tick))] = bid
            asks[uint64(round(ask / tick))] = ask
            bid -= 2.0
            ask += 2.0
        orders = hbt.orders(0)
        values = orders.values()
        while values.has_next():
            order = values.get()
            if order.cancellable:
                if (order.side == 1 and order.order_id not in bids) or (order.side == -1 and order.order_id not in asks):
                    hbt.cancel(0, order.order_id, False)
        for order_id, price in bids.items():
            if order_id not in orders:
                hbt.submit_buy_order(0, order_id, price, 0.001, GTX, LIMIT, False)
        for order_id, price in asks.items():
            if order_id not in orders:
                hbt.submit_sell_order(0, order_id, price, 0.001, GTX, LIMIT, False)
    return done


def main():
    once, changes = events_of(sys.argv[1])
    hbt = backtest(once)
    bid = ask = 0.0
    while hbt.elapse(STEP_NS) == 0:
        bid, ask = hbt.depth(0).best_bid, hbt.depth(0).best_ask
    hbt.close()
    many = repeated(once)
    functions = {"book": book, "grid": grid}
    running = {name: backtest(many) for name in functions}
    print("ready", changes, bid, ask, version("hftbacktest"), flush=True)
    for line in sys.stdin:
        name, steps = line.split()
        left = int(steps)
        while left > 0:
            done = functions[name](running[name], left)
            left -= done
            if left > 0:
                running[name].close()
                running[name] = backtest(many)
        print("done", time.process_time(), flush=True)


main()
