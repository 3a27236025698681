<?php

// The control path of a served sandbox. Events arrive in this process while a call waits, so that a test needs no server.

declare(strict_types=1);

final class Sandbox
{
    /** @var list<array{string, string}> body and signature of each delivery */
    public array $deliveries = [];
    /** @var (callable(string, string): int)|null takes a body and its signature, and returns the HTTP status */
    public $handler = null;
    /** @var resource */
    private $receiver;
    private readonly string $address;

    public function __construct(string $baseUrl, private readonly string $secretKey)
    {
        $this->address = (string) preg_replace('#^http://#', '', $baseUrl);
        $this->receiver = stream_socket_server('tcp://127.0.0.1:0') ?: throw new RuntimeException('no port is free');
    }

    /** The address to register as a webhook. */
    public function webhookUrl(): string
    {
        return 'http://' . stream_socket_get_name($this->receiver, false) . '/webhooks/payrex';
    }

    /** Calls `/_centavo/`. It returns when the events were delivered, which the handler takes meanwhile. */
    public function control(string $method, string $path, array $params = []): array
    {
        $call = stream_socket_client("tcp://{$this->address}") ?: throw new RuntimeException("no sandbox at {$this->address}");
        $body = http_build_query($params);
        $credentials = base64_encode("{$this->secretKey}:");
        fwrite($call, "{$method} /_centavo/{$path} HTTP/1.1\r\nHost: {$this->address}\r\nAuthorization: Basic {$credentials}\r\n"
            . "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " . strlen($body) . "\r\nConnection: close\r\n\r\n{$body}");
        $answer = '';
        while (!feof($call)) {
            [$readable, $none] = [[$call, $this->receiver], null];
            stream_select($readable, $none, $none, 30);
            if (in_array($this->receiver, $readable, true)) {
                $this->take();
            }
            if (in_array($call, $readable, true)) {
                $answer .= fread($call, 65536);
            }
        }
        [$head, $json] = explode("\r\n\r\n", $answer, 2) + ['', ''];
        $status = (int) (explode(' ', $head)[1] ?? 0);
        return $status === 200 ? json_decode($json, true) : throw new RuntimeException("{$path}: HTTP {$status} {$json}");
    }

    /** Waits until all events that are due were delivered. */
    public function settled(): void
    {
        $this->control('POST', 'time', ['advance' => '0s']);
    }

    private function take(): void
    {
        $connection = stream_socket_accept($this->receiver);
        $headers = [];
        while (($line = rtrim((string) fgets($connection))) !== '') {
            [$name, $value] = explode(': ', $line, 2) + ['', ''];
            $headers[strtolower($name)] = $value;
        }
        $body = (string) stream_get_contents($connection, (int) ($headers['content-length'] ?? 0));
        $this->deliveries[] = [$body, $headers['payrex-signature'] ?? ''];
        $status = ($this->handler)($body, $headers['payrex-signature'] ?? '');
        fwrite($connection, "HTTP/1.1 {$status} Answered\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        fclose($connection);
    }
}
