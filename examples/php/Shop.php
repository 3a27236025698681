<?php

// A tiny shop: an order, its checkout session, the webhook that marks it paid, and a refund. Nothing but PHP 8.1.

declare(strict_types=1);

require_once __DIR__ . '/verify.php';

/** The request was sent, and no answer came: it may have been applied. */
final class LostAnswer extends RuntimeException
{
}

/** The API over HTTP. */
final class Payrex
{
    public function __construct(private readonly string $baseUrl, private readonly string $secretKey)
    {
    }

    /** @param array<string, mixed> $params */
    public function request(string $method, string $path, array $params = []): array
    {
        $http = [
            'method' => $method,
            'header' => [
                'Authorization: Basic ' . base64_encode("{$this->secretKey}:"),
                'Content-Type: application/x-www-form-urlencoded',
            ],
            'ignore_errors' => true,
            'timeout' => 30,
        ];
        if ($params !== []) {
            // PHP numbers the elements of a list, and the API takes them without a number: `line_items[][name]`.
            $http['content'] = preg_replace('/%5B\d+%5D/', '%5B%5D', http_build_query($params));
        }
        $body = @file_get_contents($this->baseUrl . $path, false, stream_context_create(['http' => $http]));
        if ($body === false) {
            throw new LostAnswer("{$method} {$path} was not answered");
        }
        $status = (int) explode(' ', $http_response_header[0])[1];
        if ($status >= 400) {
            throw new DomainException("HTTP {$status}: {$body}");
        }
        return json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    }
}

final class Shop
{
    /** @var array<string, array<string, mixed>> by their number; a real shop has a table */
    public array $orders = [];
    /** @var array<string, true> ids of events that were acted on */
    private array $seen = [];

    public function __construct(
        private readonly Payrex $payrex,
        private readonly string $webhookSecret,
        private readonly bool $live = false,
    ) {
    }

    /** @return string the address of the payment page */
    public function checkout(string $number, string $item, int $centavos, int $quantity): string
    {
        $session = $this->payrex->request('POST', '/checkout_sessions', [
            'currency' => 'PHP',
            'line_items' => [['name' => $item, 'amount' => $centavos, 'quantity' => $quantity]],
            'success_url' => 'https://shop.example/thanks',
            'cancel_url' => 'https://shop.example/cart',
            'metadata' => ['order' => $number],
        ]);
        $this->orders[$number] = [
            'session' => $session['id'],
            'amount' => $session['amount'],
            'status' => 'open',
            'shipped' => 0,
        ];
        return $session['url'];
    }

    /** @return string|null why the last payment failed */
    public function problem(string $number): ?string
    {
        $session = $this->payrex->request('GET', "/checkout_sessions/{$this->orders[$number]['session']}");
        return $session['payment_intent']['last_payment_error']['code'] ?? null;
    }

    public function refund(string $number): void
    {
        $order = &$this->orders[$number];
        $order['status'] = 'refunding';
        try {
            $this->payrex->request('POST', '/refunds', [
                'payment_id' => $order['payment'],
                'amount' => $order['amount'],
                'currency' => 'PHP',
                'reason' => 'requested_by_customer',
                'metadata' => ['order' => $number],
            ]);
        } catch (LostAnswer) {
            // It may have been made. Sending it again could pay twice: the event refund.created decides.
        } catch (DomainException $refused) {
            $order['status'] = 'paid';
            throw $refused;
        }
    }

    /**
     * @param string $body the exact bytes, before anything parsed them
     * @param string $header the value of Payrex-Signature
     * @return int the HTTP status
     */
    public function webhook(string $body, string $header): int
    {
        if (!isGenuine($body, $header, $this->webhookSecret, $this->live)) {
            return 401;
        }
        $event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
        $number = $event['data']['metadata']['order'] ?? '';
        if (!isset($this->orders[$number]) || isset($this->seen[$event['id']])) {
            return 200;
        }
        $this->seen[$event['id']] = true;
        $order = &$this->orders[$number];
        if ($event['type'] === 'payment_intent.succeeded') {
            $order['status'] = 'paid';
            $order['payment'] = $event['data']['latest_payment']['id'];
            $order['shipped']++;
        } elseif ($event['type'] === 'refund.created') {
            $order['status'] = 'refunded';
        }
        return 200;
    }
}
