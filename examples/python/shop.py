"""A tiny shop: an order, its checkout session, the webhook that marks it paid, and a refund. Python's standard library only."""

import http.client
import json
from base64 import b64encode
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from verify import is_genuine


class LostAnswer(Exception):
    """The request was sent, and no answer came: it may have been applied."""


class Payrex:
    """The API over HTTP. Parameters are pairs: a list of hashes is written as `line_items[][name]`."""

    def __init__(self, base_url, secret_key):
        self.base_url = base_url
        self.authorization = 'Basic ' + b64encode(f'{secret_key}:'.encode()).decode()

    def request(self, method, path, pairs=()):
        body = urlencode(pairs).encode() if pairs else None
        request = Request(self.base_url + path, body, {'Authorization': self.authorization}, method=method)
        try:
            with urlopen(request, timeout=30) as response:
                return json.load(response)
        except HTTPError as error:
            raise ValueError(f'HTTP {error.code}: {error.read().decode()}') from error
        except (URLError, http.client.HTTPException, OSError) as error:
            raise LostAnswer(str(error)) from error


class Shop:
    def __init__(self, payrex, webhook_secret, live=False):
        self.payrex = payrex
        self.webhook_secret = webhook_secret
        self.live = live
        self.orders = {}
        self.seen = set()

    def checkout(self, number, item, centavos, quantity):
        """Returns the address of the payment page."""
        session = self.payrex.request('POST', '/checkout_sessions', [
            ('currency', 'PHP'),
            ('line_items[][name]', item),
            ('line_items[][amount]', centavos),
            ('line_items[][quantity]', quantity),
            ('success_url', 'https://shop.example/thanks'),
            ('cancel_url', 'https://shop.example/cart'),
            ('metadata[order]', number),
        ])
        self.orders[number] = {'session': session['id'], 'amount': session['amount'], 'status': 'open', 'shipped': 0}
        return session['url']

    def problem(self, number):
        """Returns why the last payment failed, or None."""
        session = self.payrex.request('GET', f'/checkout_sessions/{self.orders[number]["session"]}')
        error = session['payment_intent']['last_payment_error']
        return error and error['code']

    def refund(self, number):
        order = self.orders[number]
        order['status'] = 'refunding'
        try:
            self.payrex.request('POST', '/refunds', [
                ('payment_id', order['payment']),
                ('amount', order['amount']),
                ('currency', 'PHP'),
                ('reason', 'requested_by_customer'),
                ('metadata[order]', number),
            ])
        except LostAnswer:
            # It may have been made. Sending it again could pay twice: the event refund.created decides.
            pass
        except ValueError:
            order['status'] = 'paid'
            raise

    def webhook(self, body, header):
        """Takes the exact bytes of a delivery and its Payrex-Signature. Returns the HTTP status."""
        if not is_genuine(body, header, self.webhook_secret, self.live):
            return 401
        event = json.loads(body)
        order = self.orders.get((event['data'].get('metadata') or {}).get('order'))
        if order is None or event['id'] in self.seen:
            return 200
        self.seen.add(event['id'])
        if event['type'] == 'payment_intent.succeeded':
            order.update(status='paid', payment=event['data']['latest_payment']['id'])
            order['shipped'] += 1
        elif event['type'] == 'refund.created':
            order['status'] = 'refunded'
        return 200
