"""The shop's tests, in a namespace of a served sandbox: centavo sandbox serve, then pytest."""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import urlopen

import pytest

from shop import Payrex, Shop

BASE_URL = os.environ.get('PAYREX_BASE_URL', 'http://127.0.0.1:4010')
# A key of your own is a sandbox of its own: each process that runs at the same time needs another name.
SECRET_KEY = os.environ.get('PAYREX_SECRET_KEY', f'sk_test_ns_{os.environ.get("PYTEST_XDIST_WORKER", "pytest")}')

payrex = Payrex(BASE_URL, SECRET_KEY)


def control(verb, path, /, **params):
    """What a test does besides the API: pay as the customer, move the clock, plan failures."""
    return payrex.request(verb, f'/_centavo/{path}', list(params.items()))


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        header = self.headers['Payrex-Signature']
        self.server.deliveries.append((body, header))
        self.send_response(500 if self.server.is_down else self.server.shop.webhook(body, header))
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def app():
    """The shop behind an address of this machine, which the sandbox sends events to."""
    control('POST', 'reset')
    server = ThreadingHTTPServer(('127.0.0.1', 0), Receiver)
    server.deliveries, server.is_down = [], False
    webhook = payrex.request('POST', '/webhooks', [
        ('url', f'http://127.0.0.1:{server.server_port}/webhooks/payrex'),
        ('events[]', 'payment_intent.succeeded'),
        ('events[]', 'refund.created'),
    ])
    server.shop = Shop(payrex, webhook['secret_key'])
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def shop(app):
    return app.shop


def pay(shop, number, **how):
    """Returns when the events were delivered."""
    return control('POST', 'pay', id=shop.orders[number]['session'], **how)


def settled():
    """Waits until all events that are due were delivered."""
    control('POST', 'time', advance='0s')


def test_checkout(shop):
    url = shop.checkout('A-1', 'T-shirt', 45_000, 2)
    assert 'T-shirt' in urlopen(url).read().decode()
    assert shop.orders['A-1']['amount'] == 90_000
    assert shop.orders['A-1']['status'] == 'open'


def test_webhook(app, shop):
    shop.checkout('A-1', 'T-shirt', 45_000, 2)
    assert pay(shop, 'A-1', method='gcash')['outcome'] == 'paid'
    assert shop.orders['A-1']['status'] == 'paid'
    # The service may send an event twice, and anybody may send a forged one.
    (body, header), = app.deliveries
    assert shop.webhook(body, header) == 200
    assert shop.orders['A-1']['shipped'] == 1
    assert shop.webhook(body + b' ', header) == 401
    assert shop.webhook(body, None) == 401


def test_refund(shop):
    shop.checkout('A-1', 'T-shirt', 45_000, 2)
    pay(shop, 'A-1')
    shop.refund('A-1')
    settled()
    assert shop.orders['A-1']['status'] == 'refunded'


def test_retry_after_a_500(app, shop):
    shop.checkout('A-1', 'T-shirt', 45_000, 2)
    app.is_down = True
    pay(shop, 'A-1')
    assert shop.orders['A-1']['status'] == 'open'
    app.is_down = False
    control('POST', 'time', advance='1m')
    assert shop.orders['A-1']['status'] == 'paid'
    assert len(app.deliveries) == 2


def test_failed_payment(shop):
    shop.checkout('A-1', 'T-shirt', 45_000, 2)
    assert pay(shop, 'A-1', card='insufficient_funds')['outcome'] == 'failed'
    assert shop.orders['A-1']['status'] == 'open'
    assert shop.problem('A-1') == 'funds_insufficient'
    pay(shop, 'A-1')
    assert shop.orders['A-1']['status'] == 'paid'


def test_lost_answer(shop):
    shop.checkout('A-1', 'T-shirt', 45_000, 2)
    pay(shop, 'A-1')
    control('POST', 'failures', operation='refunds.create', drop='after')
    shop.refund('A-1')
    settled()
    assert shop.orders['A-1']['status'] == 'refunded'
    assert len(control('GET', 'events?type=refund.created')['data']) == 1
