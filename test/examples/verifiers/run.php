<?php

// Prints the verdicts of examples/php/verify.php on the deliveries of stdin.

declare(strict_types=1);

require "{$argv[1]}/php/verify.php";

$verdicts = array_map(
    fn (array $each): bool => isGenuine(base64_decode($each['body']), $each['header'], $each['secret'], $each['live']),
    json_decode(stream_get_contents(STDIN), true, flags: JSON_THROW_ON_ERROR),
);
echo json_encode($verdicts);
