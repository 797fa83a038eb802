"""Plays a list of orders through hftbacktest, for print-beside-hftbacktest.ts: EVENTS ORDERS, both files of doubles.

Events: nanoseconds, kind (0 depth, 1 trade, 2 level of a book), side (1 bid or buyer, -1), price, quantity. Orders: nanoseconds of arrival, of the
cancel (0: none), side, price, quantity. Prints a line for each model: name, partial fills, and the milliseconds at which each order was filled whole, 0 for never.
"""

import sys

import numpy as np
from hftbacktest import GTC, LIMIT, BacktestAsset, HashMapMarketDepthBacktest
from hftbacktest.types import (
    BUY_EVENT,
    DEPTH_EVENT,
    DEPTH_SNAPSHOT_EVENT,
    EXCH_EVENT,
    LOCAL_EVENT,
    SELL_EVENT,
    TRADE_EVENT,
    event_dtype,
)
from numba import njit

FILLED = 3
KINDS = {0: DEPTH_EVENT, 1: TRADE_EVENT, 2: DEPTH_SNAPSHOT_EVENT}
MODELS = {
    "risk-averse": lambda asset: asset.risk_adverse_queue_model(),
    "uniform": lambda asset: asset.power_prob_queue_model(1.0),
    "power": lambda asset: asset.power_prob_queue_model(3.0),
    "log": lambda asset: asset.log_prob_queue_model(),
}


@njit
def play(hbt, actions, orders, start):
    # There is no time before the first call.
    hbt.elapse(1)
    for at in range(len(actions)):
        hbt.elapse(start + np.int64(actions[at, 0]) - hbt.current_timestamp)
        number = np.int64(actions[at, 1])
        order = orders[number]
        if actions[at, 2] == 1:
            if order[2] > 0:
                hbt.submit_buy_order(0, number + 1, order[3], order[4], GTC, LIMIT, False)
            else:
                hbt.submit_sell_order(0, number + 1, order[3], order[4], GTC, LIMIT, False)
        else:
            known = hbt.orders(0).get(number + 1)
            if known is not None and known.cancellable:
                hbt.cancel(0, number + 1, False)
    while hbt.elapse(1_000_000_000) == 0:
        pass
    filled = np.zeros(len(orders), np.int64)
    values = hbt.orders(0).values()
    while values.has_next():
        order = values.get()
        if order.status == FILLED:
            filled[order.order_id - 1] = order.exch_timestamp
    return filled


def main():
    rows = np.fromfile(sys.argv[1]).reshape(-1, 5)
    orders = np.fromfile(sys.argv[2]).reshape(-1, 5)
    tick, lot = float(sys.argv[3]), float(sys.argv[4])
    start = 1_000_000_000
    events = np.zeros(len(rows), event_dtype)
    kinds = np.array([KINDS[kind] for kind in (0, 1, 2)])[rows[:, 1].astype(int)]
    sides = np.where(rows[:, 2] > 0, BUY_EVENT, SELL_EVENT)
    events["ev"] = kinds | sides | EXCH_EVENT | LOCAL_EVENT
    events["exch_ts"] = events["local_ts"] = start + rows[:, 0].astype(np.int64)
    events["px"], events["qty"] = rows[:, 3], rows[:, 4]
    actions = [(time, number, 1.0) for number, time in enumerate(orders[:, 0])]
    actions += [(time, number, 0.0) for number, time in enumerate(orders[:, 1]) if time > 0]
    actions = np.array(sorted(actions))
    for partial in (False, True):
        for name, queue in MODELS.items():
            asset = BacktestAsset().data([events]).linear_asset(1.0).constant_order_latency(0, 0)
            asset = queue(asset)
            asset = asset.partial_fill_exchange() if partial else asset.no_partial_fill_exchange()
            asset = asset.trading_value_fee_model(0.0002, 0.0005).tick_size(tick).lot_size(lot)
            hbt = HashMapMarketDepthBacktest([asset.last_trades_capacity(0)])
            filled = play(hbt, actions, orders, start)
            hbt.close()
            times = [0 if time == 0 else (time - start) // 1_000_000 for time in filled]
            print(name, int(partial), *times, flush=True)


main()
