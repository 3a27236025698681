<?php

// The same verification without Laravel: PAYREX_WEBHOOK_SECRET=whsk_… php -S 127.0.0.1:8000 examples/laravel/plain/index.php

declare(strict_types=1);

use App\Payrex\WebhookSignature;

require __DIR__ . '/../app/Payrex/WebhookSignature.php';
require __DIR__ . '/orders.php';

if ($_SERVER['REQUEST_METHOD'] !== 'POST' || parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/webhooks/payrex') {
    http_response_code(404);
    exit;
}

$signature = new WebhookSignature([(string) getenv('PAYREX_WEBHOOK_SECRET')]);
$event = $signature->event((string) file_get_contents('php://input'), $_SERVER['HTTP_PAYREX_SIGNATURE'] ?? '', time());
if ($event === null) {
    http_response_code(401);
    exit;
}
if (in_array($event['type'], ['billing_statement.paid', 'payment_intent.succeeded'], true)) {
    (new Orders(getenv('ORDERS') ?: 'orders'))->markPaid($event);
}
http_response_code(200);
