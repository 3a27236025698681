<?php

// The shop's tests, in a namespace of a served sandbox: centavo sandbox serve, then phpunit ShopTest.php.

declare(strict_types=1);

require_once __DIR__ . '/Shop.php';
require_once __DIR__ . '/Sandbox.php';

use PHPUnit\Framework\TestCase;

final class ShopTest extends TestCase
{
    private Sandbox $sandbox;
    private Shop $shop;

    protected function setUp(): void
    {
        $baseUrl = getenv('PAYREX_BASE_URL') ?: 'http://127.0.0.1:4010';
        // A key of your own is a sandbox of its own: each process that runs at the same time needs another name.
        $secretKey = getenv('PAYREX_SECRET_KEY') ?: 'sk_test_ns_phpunit' . getenv('TEST_TOKEN');
        $this->sandbox = new Sandbox($baseUrl, $secretKey);
        $this->sandbox->control('POST', 'reset');
        $payrex = new Payrex($baseUrl, $secretKey);
        $webhook = $payrex->request('POST', '/webhooks', [
            'url' => $this->sandbox->webhookUrl(),
            'events' => ['payment_intent.succeeded', 'refund.created'],
        ]);
        $this->shop = new Shop($payrex, $webhook['secret_key']);
        $this->sandbox->handler = $this->shop->webhook(...);
        $this->shop->checkout('A-1', 'T-shirt', 45_000, 2);
    }

    private function pay(array $how = []): string
    {
        return $this->sandbox->control('POST', 'pay', ['id' => $this->order('session'), ...$how])['outcome'];
    }

    private function order(string $field): mixed
    {
        return $this->shop->orders['A-1'][$field];
    }

    public function testCheckout(): void
    {
        $url = $this->shop->checkout('A-2', 'Notebook', 12_500, 3);
        $this->assertStringContainsString('Notebook', file_get_contents($url));
        $this->assertSame(37_500, $this->shop->orders['A-2']['amount']);
        $this->assertSame('open', $this->shop->orders['A-2']['status']);
    }

    public function testWebhook(): void
    {
        $this->assertSame('paid', $this->pay(['method' => 'gcash']));
        $this->assertSame('paid', $this->order('status'));
        // The service may send an event twice, and anybody may send a forged one.
        [[$body, $header]] = $this->sandbox->deliveries;
        $this->assertSame(200, $this->shop->webhook($body, $header));
        $this->assertSame(1, $this->order('shipped'));
        $this->assertSame(401, $this->shop->webhook("{$body} ", $header));
        $this->assertSame(401, $this->shop->webhook($body, ''));
    }

    public function testRefund(): void
    {
        $this->pay();
        $this->shop->refund('A-1');
        $this->sandbox->settled();
        $this->assertSame('refunded', $this->order('status'));
    }

    public function testRetryAfterA500(): void
    {
        $this->sandbox->handler = fn (): int => 500;
        $this->pay();
        $this->assertSame('open', $this->order('status'));
        $this->sandbox->handler = $this->shop->webhook(...);
        $this->sandbox->control('POST', 'time', ['advance' => '1m']);
        $this->assertSame('paid', $this->order('status'));
        $this->assertCount(2, $this->sandbox->deliveries);
    }

    public function testFailedPayment(): void
    {
        $this->assertSame('failed', $this->pay(['card' => 'insufficient_funds']));
        $this->assertSame('open', $this->order('status'));
        $this->assertSame('funds_insufficient', $this->shop->problem('A-1'));
        $this->pay();
        $this->assertSame('paid', $this->order('status'));
    }

    public function testLostAnswer(): void
    {
        $this->pay();
        $this->sandbox->control('POST', 'failures', ['operation' => 'refunds.create', 'drop' => 'after']);
        $this->shop->refund('A-1');
        $this->sandbox->settled();
        $this->assertSame('refunded', $this->order('status'));
        $this->assertCount(1, $this->sandbox->control('GET', 'events?type=refund.created')['data']);
    }
}
