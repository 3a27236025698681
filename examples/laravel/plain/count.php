<?php

// How many events the example has acted on, for `centavo webhooks test --state-command`: php examples/laravel/plain/count.php [folder]

declare(strict_types=1);

require __DIR__ . '/orders.php';

echo (new Orders($argv[1] ?? 'orders'))->count(), "\n";
