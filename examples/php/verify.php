<?php

// Verifies webhook deliveries with PHP alone.

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/**
 * @param string $body the exact bytes, before anything parsed them
 * @param string $header the value of Payrex-Signature
 * @param string $secret the whole secret, with its prefix whsk_
 * @param bool $live true in live mode, whose signature is in `li`; that of test mode is in `te`
 */
function isGenuine(string $body, string $header, string $secret, bool $live = false): bool
{
    $parts = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = explode('=', trim($part), 2) + ['', ''];
        $parts[$name] = $value;
    }
    $t = $parts['t'] ?? '';
    if (!ctype_digit($t) || strlen($t) > 10 || abs(time() - (int) $t) > TOLERANCE_SECONDS) {
        return false;
    }
    return hash_equals(hash_hmac('sha256', "{$t}.{$body}", $secret), $parts[$live ? 'li' : 'te'] ?? '');
}
