<?php

// The orders of the example: a folder with a file for each event that was acted on. An app has a database, and a transaction: see the controller.

declare(strict_types=1);

final class Orders
{
    public function __construct(private readonly string $folder)
    {
        if (!is_dir($folder)) {
            @mkdir($folder, recursive: true);
        }
    }

    /**
     * Acts on an event, once: of two that try to make the file, one wins.
     * @param array<string, mixed> $event
     */
    public function markPaid(array $event): void
    {
        if (preg_match('/^evt_\w+$/D', $event['id']) !== 1) {
            throw new UnexpectedValueException('the event has no id');
        }
        $file = @fopen("{$this->folder}/{$event['id']}", 'x');
        if ($file !== false) {
            fwrite($file, (string) json_encode($event['data']));
            fclose($file);
        }
    }

    /** How many events were acted on. */
    public function count(): int
    {
        return count(glob("{$this->folder}/evt_*") ?: []);
    }
}
