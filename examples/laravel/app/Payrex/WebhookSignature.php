<?php

declare(strict_types=1);

namespace App\Payrex;

/** What makes a delivery genuine: its header, its exact bytes, and a time that is near. Needs nothing but PHP 8.1. */
final class WebhookSignature
{
    private const TOLERANCE_SECONDS = 300;
    private const LONGEST_HEADER = 1024;
    private const SHORTEST_SECRET = 12;

    /** @param list<string> $secrets the webhook's own secrets, whsk_…; several while one is being replaced */
    public function __construct(private readonly array $secrets)
    {
    }

    /**
     * @param string $body the bytes as they arrived, before anything parsed them
     * @param string $header the value of Payrex-Signature
     * @param int $now unix seconds
     * @return array<string, mixed>|null the event, or null when the delivery is not genuine
     */
    public function event(string $body, string $header, int $now): ?array
    {
        // By name and in the sender's order; exactly one of the two signatures. A second header, joined to the first, does not fit.
        $form = '/^t=(?<t>[1-9]\d{0,10}), *te=(?<te>[0-9a-f]{64})?, *li=(?<li>[0-9a-f]{64})?(,(?! *(t|te|li)=)[\x20-\x2b\x2d-\x7e]*)*$/D';
        if (strlen($header) > self::LONGEST_HEADER || preg_match($form, $header, $part) !== 1) {
            return null;
        }
        [$test, $live] = [$part['te'] ?? '', $part['li'] ?? ''];
        if (($test === '') === ($live === '')) {
            return null;
        }
        if (!$this->isSigned("{$part['t']}.{$body}", $test . $live)) {
            return null;
        }
        if (abs($now - (int) $part['t']) > self::TOLERANCE_SECONDS) {
            return null;
        }
        $event = json_decode($body, true);
        if (!is_array($event) || !is_string($event['id'] ?? null) || !is_string($event['type'] ?? null)) {
            return null;
        }
        // The signature stands in the place of the mode that the event says it is of.
        return ($event['livemode'] ?? null) === ($live !== '') ? $event : null;
    }

    private function isSigned(string $signed, string $digest): bool
    {
        $found = false;
        foreach ($this->secrets as $secret) {
            // An empty secret would take whatever anybody signs with an empty one.
            if (strlen($secret) < self::SHORTEST_SECRET || preg_match('/\s/', $secret) === 1) {
                continue;
            }
            $found = hash_equals(hash_hmac('sha256', $signed, $secret), $digest) || $found;
        }
        return $found;
    }
}
