<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Payrex\WebhookSignature;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\DB;

/** Takes deliveries: genuine ones only, each event acted on once, whatever is sent and how often. */
final class PayrexWebhookController
{
    public function __invoke(Request $request): Response
    {
        $signature = new WebhookSignature(config('services.payrex.webhook_secrets'));
        // getContent() gives the bytes as they arrived; all() and json() do not.
        $header = implode(', ', $request->headers->all('payrex-signature'));
        $event = $signature->event($request->getContent(), $header, time());
        if ($event === null) {
            return response('', 401);
        }

        // The record that the event was acted on and what was done are one transaction: no crash comes between, and of two that try, one wins.
        DB::transaction(function () use ($event): void {
            $isNew = DB::table('payrex_events')->insertOrIgnore(['id' => $event['id'], 'received_at' => now()]) === 1;
            if ($isNew) {
                $this->act($event);
            }
        });
        return response('', 200);
    }

    /** Kinds that this app does not know are taken and left alone: there will be new ones. */
    private function act(array $event): void
    {
        // The captured shape has the object in `data`, the documented one in `data.resource`.
        $data = $event['data'];
        $object = is_array($data['resource'] ?? null) ? $data['resource'] : $data;
        match ($event['type']) {
            'billing_statement.paid', 'payment_intent.succeeded' => DB::table('orders')
                ->where('payrex_id', $object['id'])
                ->update(['status' => 'paid', 'paid_at' => now()]),
            default => null,
        };
    }
}
